package io.egress.webhook.send;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;

import com.standardwebhooks.Webhook;
import com.standardwebhooks.exceptions.WebhookVerificationException;
import io.egress.webhook.endpoint.SigningSecrets;
import java.time.Instant;
import java.util.Base64;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.UUID;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** The verifier is the published library, with the secret in the form that it expects. */
class StandardWebhooksTest {
  private final String secret = SigningSecrets.generate();
  private final Envelope envelope = SenderHarness.envelope("Grüße");
  private final long now = Instant.now().getEpochSecond();

  @Test
  void isAcceptedByTheLibrary() throws WebhookVerificationException {
    verify(envelope, now, sign(envelope, now, secret), secret);
  }

  @Test
  void isAcceptedOverRandomTexts() throws WebhookVerificationException {
    Random random = new Random(27);
    WebhookSignature signature = new WebhookSignature(List.of(secret), true);
    for (int i = 0; i < 300; i++) {
      StringBuilder text = new StringBuilder();
      for (int length = random.nextInt(2_000); length > 0; length--) {
        int codePoint = random.nextInt(Character.MAX_CODE_POINT + 1);
        if (Character.getType(codePoint) != Character.SURROGATE) {
          text.appendCodePoint(codePoint);
        }
      }
      Envelope any = SenderHarness.envelope(text.toString());

      verify(any, now, signature.signByStandard(now, any), secret);
    }
  }

  /** Interleaved, because both forms use the same keyed MACs. */
  @Test
  void doesNotDisturbTheOtherSignature() throws WebhookVerificationException {
    WebhookSignature both = new WebhookSignature(List.of(secret), true);
    String alone = new WebhookSignature(List.of(secret)).sign(now, envelope);

    for (int i = 0; i < 3; i++) {
      assertThat(both.sign(now, envelope)).isEqualTo(alone);
      verify(envelope, now, both.signByStandard(now, envelope), secret);
    }
  }

  @Test
  void signsWithEverySecretNewestFirst() throws WebhookVerificationException {
    String old = SigningSecrets.generate();
    String both = sign(envelope, now, secret, old);

    assertThat(both).matches("v1,[A-Za-z0-9+/]{43}= v1,[A-Za-z0-9+/]{43}=");
    assertThat(both).startsWith(sign(envelope, now, secret) + " ");
    verify(envelope, now, both, secret);
    verify(envelope, now, both, old);
    assertRefused(envelope, now, both, SigningSecrets.generate());
  }

  @ParameterizedTest
  @ValueSource(longs = {-310, 310})
  void isRefusedWhenStale(long seconds) {
    long then = now + seconds;

    assertRefused(envelope, then, sign(envelope, then, secret), secret);
  }

  @Test
  void coversIdTimestampAndBody() {
    String signature = sign(envelope, now, secret);

    assertRefused(envelope, now - 1, signature, secret);
    assertRefused(SenderHarness.envelope("Grüße"), now, signature, secret);
    byte[] altered =
        new String(envelope.buffer().getBytes(), UTF_8).replace("Grüße", "Grüsse").getBytes(UTF_8);
    assertThatExceptionOfType(WebhookVerificationException.class)
        .isThrownBy(() ->
            library(secret)
                .verify(
                    new String(altered, UTF_8), headers(envelope.deliveryId(), now, signature)));
  }

  /** From Python: {@code base64.b64encode(hmac.new(secret, f"{id}.{t}.".encode() + body, ...))}. */
  @Test
  void neverChanges() {
    Envelope golden =
        Envelope.compose(
            UUID.fromString("0d3c2e1f-6a5b-4c7d-8e9f-0a1b2c3d4e5f"),
            Instant.parse("2026-11-21T10:00:00Z"),
            "{\"title\":\"Grüße\",\"emitted_at\":\"".getBytes(UTF_8));

    assertThat(sign(golden, 1_795_255_200L, "whsec_golden"))
        .isEqualTo("v1,ZUEiYyGFm1aUIOrBOAi91Nqddrqc1jxKU5LR8EG4xCU=");
    assertThat(SigningSecrets.inStandardForm("whsec_golden")).isEqualTo("whsec_d2hzZWNfZ29sZGVu");
  }

  /** Otherwise libraries would sign with another key than the other signature. */
  @Test
  void theStandardFormOfASecretDecodesToItsText() {
    String standard = SigningSecrets.inStandardForm(secret);

    assertThat(standard).startsWith("whsec_");
    assertThat(Base64.getDecoder().decode(standard.substring("whsec_".length())))
        .isEqualTo(secret.getBytes(UTF_8));
    assertRefusedWithSecretAsItIs();
  }

  private void assertRefusedWithSecretAsItIs() {
    String signature = sign(envelope, now, secret);
    assertThatExceptionOfType(Exception.class)
        .isThrownBy(() ->
            new Webhook(secret)
                .verify(body(envelope), headers(envelope.deliveryId(), now, signature)));
  }

  private static String sign(Envelope envelope, long unixSeconds, String... secrets) {
    return new WebhookSignature(List.of(secrets), true).signByStandard(unixSeconds, envelope);
  }

  private static void verify(Envelope envelope, long unixSeconds, String signature, String secret)
      throws WebhookVerificationException {
    library(secret).verify(body(envelope), headers(envelope.deliveryId(), unixSeconds, signature));
  }

  private static void assertRefused(
      Envelope envelope, long unixSeconds, String signature, String secret) {
    assertThatExceptionOfType(WebhookVerificationException.class)
        .isThrownBy(() -> verify(envelope, unixSeconds, signature, secret));
  }

  private static Webhook library(String secret) {
    return new Webhook(SigningSecrets.inStandardForm(secret));
  }

  private static String body(Envelope envelope) {
    return new String(envelope.buffer().getBytes(), UTF_8);
  }

  private static Map<String, List<String>> headers(UUID id, long unixSeconds, String signature) {
    return Map.of(
        "webhook-id",
        List.of(id.toString()),
        "webhook-timestamp",
        List.of(Long.toString(unixSeconds)),
        "webhook-signature",
        List.of(signature));
  }
}
