package io.egress.webhook.send;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;
import static org.assertj.core.api.Assertions.assertThatIllegalArgumentException;

import com.stripe.exception.SignatureVerificationException;
import com.stripe.net.Webhook;
import io.egress.webhook.endpoint.SigningSecrets;
import java.time.Instant;
import java.util.List;
import java.util.Random;
import java.util.UUID;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** The verifier is Stripe's, which reads exactly this form of header. */
class WebhookSignatureTest {
  private static final long TOLERANCE_SECONDS = 300;

  @ParameterizedTest
  @ValueSource(
      strings = {
        "plain ASCII",
        "",
        "Grüße, naïve façade",
        "日本語の会議",
        "مرحبا بالعالم",
        "e\u0301 combining, \u200d joined 👩‍👩‍👧, flags 🇨🇭",
        "𝄞 𐍈 beyond the basic plane",
        "\u2028 line and paragraph \u2029 separators, \ufeff mark, \u0001 control",
        "\ufffd \uffff noncharacters \ud83f\udfff",
      })
  void isAcceptedOverEveryKindOfUnicode(String text) throws SignatureVerificationException {
    String secret = SigningSecrets.generate();
    Envelope envelope = SenderHarness.envelope(text);

    assertVerifies(envelope, sign(envelope, secret), secret);
  }

  @Test
  void isAcceptedOverRandomTexts() throws SignatureVerificationException {
    long seed = System.nanoTime();
    Random random = new Random(seed);
    String secret = SigningSecrets.generate();
    WebhookSignature signature = new WebhookSignature(List.of(secret));
    for (int i = 0; i < 500; i++) {
      StringBuilder text = new StringBuilder();
      for (int length = random.nextInt(2_000); length > 0; length--) {
        int codePoint = random.nextInt(Character.MAX_CODE_POINT + 1);
        if (Character.getType(codePoint) != Character.SURROGATE) {
          text.appendCodePoint(codePoint);
        }
      }
      Envelope envelope = SenderHarness.envelope(text.toString());
      long now = Instant.now().getEpochSecond();
      assertThat(
              Webhook.Signature.verifyHeader(
                  new String(envelope.buffer().getBytes(), UTF_8),
                  signature.sign(now, envelope),
                  secret,
                  TOLERANCE_SECONDS))
          .as("seed %d", seed)
          .isTrue();
    }
  }

  @Test
  void signsWithEverySecretNewestFirst() throws SignatureVerificationException {
    Envelope envelope = SenderHarness.envelope("rotation");
    String both = sign(envelope, "whsec_new", "whsec_old");
    String newest = sign(envelope, "whsec_new");

    assertThat(both).matches("t=\\d+,v1=[0-9a-f]{64},v1=[0-9a-f]{64}");
    assertThat(both.split(",v1=", -1)[1]).isEqualTo(newest.split(",v1=", -1)[1]);
    assertVerifies(envelope, both, "whsec_new");
    assertVerifies(envelope, both, "whsec_old");
    assertThatExceptionOfType(SignatureVerificationException.class)
        .isThrownBy(() -> assertVerifies(envelope, both, "whsec_other"));
  }

  /** From Python: {@code hmac.new(secret, f"{t}.".encode() + body, "sha256").hexdigest()}. */
  @Test
  void neverChanges() {
    Envelope envelope =
        Envelope.compose(
            UUID.fromString("0d3c2e1f-6a5b-4c7d-8e9f-0a1b2c3d4e5f"),
            Instant.parse("2026-11-21T10:00:00Z"),
            "{\"title\":\"Grüße\",\"emitted_at\":\"".getBytes(UTF_8));

    assertThat(new WebhookSignature(List.of("whsec_golden")).sign(1_795_255_200L, envelope))
        .isEqualTo(
            "t=1795255200,v1=8525b7541ebbad0ae6bf88c5e1a0a98e9c8150077c074f7a903c951ca6f3f25d");
  }

  @Test
  void coversTheTimestamp() {
    Envelope envelope = SenderHarness.envelope("replayed");
    String header = sign(envelope, "whsec_a").replaceFirst("t=(\\d)", "t=1$1");

    assertThatExceptionOfType(SignatureVerificationException.class)
        .isThrownBy(() -> assertVerifies(envelope, header, "whsec_a"));
  }

  @Test
  void needsASecret() {
    assertThatIllegalArgumentException().isThrownBy(() -> new WebhookSignature(List.of()));
  }

  private static String sign(Envelope envelope, String... secrets) {
    return new WebhookSignature(List.of(secrets)).sign(Instant.now().getEpochSecond(), envelope);
  }

  private static void assertVerifies(Envelope envelope, String header, String secret)
      throws SignatureVerificationException {
    String body = new String(envelope.buffer().getBytes(), UTF_8);
    assertThat(Webhook.Signature.verifyHeader(body, header, secret, TOLERANCE_SECONDS)).isTrue();
  }
}
