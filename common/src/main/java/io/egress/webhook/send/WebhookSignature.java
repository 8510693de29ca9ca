package io.egress.webhook.send;

import static java.nio.charset.StandardCharsets.US_ASCII;
import static java.nio.charset.StandardCharsets.UTF_8;

import io.egress.webhook.endpoint.EndpointTarget;
import io.egress.webhook.endpoint.SecretBox;
import io.egress.webhook.endpoint.SigningKeys;
import io.egress.webhook.endpoint.StandardWebhooks;
import java.security.GeneralSecurityException;
import java.security.PrivateKey;
import java.util.Base64;
import java.util.HexFormat;
import java.util.List;
import java.util.function.Consumer;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import javax.crypto.Mac;
import javax.crypto.spec.SecretKeySpec;

/**
 * Signs envelopes for one endpoint. It holds a keyed {@link Mac} per secret, so reuse it as long as
 * the endpoint's secrets and keys stay the same. Not thread-safe.
 */
public final class WebhookSignature {
  private static final String ALGORITHM = "HmacSHA256";

  private final List<String> secrets;
  private final List<Mac> macs;
  private final StandardWebhooks standard;
  private final List<Ed25519Signer> signers;

  /** Throws the exceptions of {@link SecretBox#open} if a secret or a key cannot be opened. */
  public static WebhookSignature of(EndpointTarget target, SecretBox secrets) {
    EndpointTarget.Setup setup = target.setup();
    StandardWebhooks standard = setup.spec().standardWebhooks();
    return new WebhookSignature(
        setup.sealedSecrets().stream()
            .map(secret -> secrets.open(secret.getBytes(), target.id()))
            .toList(),
        standard,
        standard == StandardWebhooks.ED25519
            ? SigningKeys.open(setup.sealedSigningKeys(), secrets, target.id())
            : List.of());
  }

  /** Without the form of Standard Webhooks. */
  public WebhookSignature(List<String> secrets) {
    this(secrets, false);
  }

  /** {@code hasStandardForm} tells whether the secrets sign by Standard Webhooks, too. */
  public WebhookSignature(List<String> secrets, boolean hasStandardForm) {
    this(secrets, hasStandardForm ? StandardWebhooks.HMAC : StandardWebhooks.OFF, List.of());
  }

  /**
   * Secrets and keys are sorted newest first; during a rotation's overlap, each of them signs.
   * {@code keys} are needed only for {@link StandardWebhooks#ED25519}. A signature by Standard
   * Webhooks takes another pass over the body.
   */
  public WebhookSignature(List<String> secrets, StandardWebhooks standard, List<PrivateKey> keys) {
    if (secrets.isEmpty()) {
      throw new IllegalArgumentException("secrets is empty");
    }
    this.secrets = List.copyOf(secrets);
    macs = secrets.stream().map(WebhookSignature::keyed).toList();
    this.standard = standard;
    signers = keys.stream().map(Ed25519Signer::new).toList();
  }

  List<String> secrets() {
    return secrets;
  }

  public boolean hasStandardForm() {
    return standard != StandardWebhooks.OFF;
  }

  /**
   * The value of {@code x-service-signature}, without spaces, which some verifiers do not accept.
   */
  public String sign(long unixSeconds, Envelope envelope) {
    return sign(unixSeconds, mac -> envelope.eachPart(mac::update));
  }

  /** The same for a body that is not an envelope. */
  public String sign(long unixSeconds, byte[] body) {
    return sign(unixSeconds, mac -> mac.update(body));
  }

  private String sign(long unixSeconds, Consumer<Mac> body) {
    byte[] signedPrefix = (unixSeconds + ".").getBytes(US_ASCII);
    StringBuilder header =
        new StringBuilder(16 + 68 * macs.size()).append("t=").append(unixSeconds);
    for (Mac mac : macs) {
      mac.update(signedPrefix);
      body.accept(mac);
      HexFormat.of().formatHex(header.append(",v1="), mac.doFinal());
    }
    return header.toString();
  }

  /**
   * The value of {@code webhook-signature}. The id and the timestamp that it covers are those of
   * {@code webhook-id}, the delivery's id, and {@code webhook-timestamp}.
   */
  public String signByStandard(long unixSeconds, Envelope envelope) {
    byte[] prefix = (envelope.deliveryId() + "." + unixSeconds + ".").getBytes(US_ASCII);
    return standard == StandardWebhooks.ED25519
        ? joined("v1a,", signers.stream().map(signer -> signer.sign(prefix, envelope)))
        : joined("v1,", macs.stream().map(mac -> authenticate(mac, prefix, envelope)));
  }

  private static String joined(String version, Stream<byte[]> signatures) {
    return signatures
        .map(signature -> version + Base64.getEncoder().encodeToString(signature))
        .collect(Collectors.joining(" "));
  }

  private static byte[] authenticate(Mac mac, byte[] prefix, Envelope envelope) {
    mac.update(prefix);
    envelope.eachPart(mac::update);
    return mac.doFinal();
  }

  private static Mac keyed(String secret) {
    try {
      Mac mac = Mac.getInstance(ALGORITHM);
      mac.init(new SecretKeySpec(secret.getBytes(UTF_8), ALGORITHM));
      return mac;
    } catch (GeneralSecurityException everyJdkHasIt) {
      throw new IllegalStateException(everyJdkHasIt);
    }
  }
}
