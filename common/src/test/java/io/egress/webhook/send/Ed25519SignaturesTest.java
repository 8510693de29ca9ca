package io.egress.webhook.send;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;

import io.egress.webhook.endpoint.StandardWebhooks;
import java.security.GeneralSecurityException;
import java.security.KeyFactory;
import java.security.PrivateKey;
import java.security.spec.PKCS8EncodedKeySpec;
import java.time.Instant;
import java.util.Base64;
import java.util.HexFormat;
import java.util.List;
import java.util.Random;
import java.util.UUID;
import org.bouncycastle.crypto.params.Ed25519PrivateKeyParameters;
import org.bouncycastle.crypto.signers.Ed25519Signer;
import org.junit.jupiter.api.Test;

/** The verifier is Bouncy Castle. */
class Ed25519SignaturesTest {
  private static final String SECRET = "whsec_golden";

  private final long now = Instant.now().getEpochSecond();
  private final byte[] seed = seed(1);
  private final byte[] oldSeed = seed(2);

  @Test
  void isAcceptedOverRandomBodies() {
    WebhookSignature signature = signature(seed);
    Random random = new Random(27);
    for (int i = 0; i < 100; i++) {
      Envelope any = SenderHarness.envelope("é".repeat(random.nextInt(2_000)));

      String header = signature.signByStandard(now, any);

      assertThat(header).matches("v1a,[A-Za-z0-9+/]{86}==");
      assertThat(isGenuine(header.substring(4), content(any, now), seed)).isTrue();
    }
  }

  @Test
  void everyKeySignsNewestFirst() {
    Envelope envelope = SenderHarness.envelope("Grüße");

    String[] both = signature(seed, oldSeed).signByStandard(now, envelope).split(" ");

    assertThat(both).hasSize(2).allSatisfy(each -> assertThat(each).startsWith("v1a,"));
    assertThat(isGenuine(both[0].substring(4), content(envelope, now), seed)).isTrue();
    assertThat(isGenuine(both[1].substring(4), content(envelope, now), oldSeed)).isTrue();
    assertThat(isGenuine(both[1].substring(4), content(envelope, now), seed)).isFalse();
  }

  @Test
  void coversIdTimestampAndBody() {
    Envelope envelope = SenderHarness.envelope("Grüße");
    String signature = signature(seed).signByStandard(now, envelope).substring(4);

    assertThat(isGenuine(signature, content(envelope, now), seed)).isTrue();
    assertThat(isGenuine(signature, content(envelope, now - 1), seed)).isFalse();
    assertThat(isGenuine(signature, content(SenderHarness.envelope("Grüße"), now), seed)).isFalse();
    byte[] altered =
        new String(content(envelope, now), UTF_8).replace("Grüße", "Grüsse").getBytes(UTF_8);
    assertThat(isGenuine(signature, altered, seed)).isFalse();
  }

  /** The endpoint's secret still signs in the service's own form. */
  @Test
  void doesNotDisturbTheOtherSignature() {
    Envelope envelope = SenderHarness.envelope("Grüße");
    WebhookSignature both = signature(seed);
    String alone = new WebhookSignature(List.of(SECRET)).sign(now, envelope);

    for (int i = 0; i < 3; i++) {
      assertThat(both.sign(now, envelope)).isEqualTo(alone);
      assertThat(
              isGenuine(
                  both.signByStandard(now, envelope).substring(4), content(envelope, now), seed))
          .isTrue();
    }
  }

  /** By {@code openssl pkeyutl -sign -rawin}, with the key of the first test of RFC 8032. */
  @Test
  void neverChanges() {
    Envelope golden =
        Envelope.compose(
            UUID.fromString("0d3c2e1f-6a5b-4c7d-8e9f-0a1b2c3d4e5f"),
            Instant.parse("2026-11-21T10:00:00Z"),
            "{\"title\":\"Grüße\",\"emitted_at\":\"".getBytes(UTF_8));
    byte[] key =
        HexFormat.of().parseHex("9d61b19deffd5a60ba844af492ec2cc44449c5697b326919703bac031cae7f60");

    assertThat(signature(key).signByStandard(1_795_255_200L, golden))
        .isEqualTo(
            "v1a,pZ5Ltg7IqUpdNUCRymssZ191yahueWjIe6aZMtRNvIS51lHbvsgOnjP6jGV2X7qc2+rQnPkdI+FLxytR+1B5DA==");
  }

  private static WebhookSignature signature(byte[]... seeds) {
    return new WebhookSignature(
        List.of(SECRET),
        StandardWebhooks.ED25519,
        List.of(seeds).stream().map(Ed25519SignaturesTest::privateKey).toList());
  }

  private static PrivateKey privateKey(byte[] seed) {
    byte[] pkcs8 =
        HexFormat.of()
            .parseHex("302e020100300506032b657004220420" + HexFormat.of().formatHex(seed));
    try {
      return KeyFactory.getInstance("Ed25519").generatePrivate(new PKCS8EncodedKeySpec(pkcs8));
    } catch (GeneralSecurityException everyJdkHasIt) {
      throw new IllegalStateException(everyJdkHasIt);
    }
  }

  private static boolean isGenuine(String base64, byte[] content, byte[] seed) {
    Ed25519Signer verifier = new Ed25519Signer();
    verifier.init(false, new Ed25519PrivateKeyParameters(seed).generatePublicKey());
    verifier.update(content, 0, content.length);
    return verifier.verifySignature(Base64.getDecoder().decode(base64));
  }

  private static byte[] content(Envelope envelope, long unixSeconds) {
    String body = new String(envelope.buffer().getBytes(), UTF_8);
    return (envelope.deliveryId() + "." + unixSeconds + "." + body).getBytes(UTF_8);
  }

  private static byte[] seed(int first) {
    byte[] seed = new byte[32];
    seed[0] = (byte) first;
    return seed;
  }
}
