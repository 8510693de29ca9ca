package io.egress.standalone.receiver;

import static io.egress.standalone.receiver.SampleWebhook.SECRET;
import static org.assertj.core.api.Assertions.assertThat;

import io.egress.standalone.receiver.WebhookVerifier.Verdict;
import io.egress.standalone.receiver.WebhookVerifier.Verdict.Genuine;
import io.egress.standalone.receiver.WebhookVerifier.Verdict.Refused;
import io.vertx.core.buffer.Buffer;
import io.vertx.core.http.HttpHeaders;
import java.io.IOException;
import java.time.Duration;
import java.time.Instant;
import java.time.InstantSource;
import java.util.Locale;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class WebhookVerifierTest {
  private static final Instant NOW = Instant.parse("2026-11-21T10:00:00Z");

  private final WebhookVerifier verifier = new WebhookVerifier(SECRET, InstantSource.fixed(NOW));
  private final SampleWebhook webhook = SampleWebhook.signedAt(NOW);

  @Test
  void acceptsWhatTheServiceSends() {
    Genuine genuine = (Genuine) verify(webhook);

    assertThat(genuine.deliveryId()).isEqualTo(webhook.deliveryId());
    assertThat(genuine.data().getString("title")).startsWith("Grüße");
  }

  @Test
  void agreesWithAnIndependentSignature() {
    String body =
        "{\"event\":\"capture.processed\",\"delivery_id\":\"0d3c2e1f-6a5b-4c7d-8e9f-0a1b2c3d4e5f\","
            + "\"emitted_at\":\"2026-11-21T10:00:00.000Z\",\"data\":{\"title\":\"Grüße\","
            + "\"emitted_at\":\"2026-11-21T10:00:00.000Z\"}}";
    SampleWebhook golden =
        new SampleWebhook(
            webhook.deliveryId(),
            HttpHeaders.headers()
                .add("content-type", "application/json")
                .add("x-service-event", "capture.processed")
                .add("x-service-delivery", "0d3c2e1f-6a5b-4c7d-8e9f-0a1b2c3d4e5f")
                .add(
                    "x-service-signature",
                    "t=1795255200,v1="
                        + "8525b7541ebbad0ae6bf88c5e1a0a98e9c8150077c074f7a903c951ca6f3f25d"),
            Buffer.buffer(body));

    assertThat(
            new WebhookVerifier("whsec_golden", InstantSource.fixed(NOW))
                .verify(golden.headers(), golden.body()))
        .isInstanceOf(Genuine.class);
  }

  @Test
  void decompressesOnlyWhatIsGenuine() throws IOException {
    SampleWebhook compressed = webhook.compressed();

    assertThat(verify(compressed.signed(SECRET, NOW)))
        .isInstanceOfSatisfying(
            Genuine.class,
            genuine -> assertThat(genuine.data().getString("title")).startsWith("Grüße"));
    assertRefused(compressed, "the signature does not match the body");
    assertRefused(
        compressed.withBody("no gzip").signed(SECRET, NOW), "the body cannot be decompressed");
    assertRefused(webhook.with("content-encoding", "br"), "content-encoding is not gzip");
  }

  @Test
  void refusesABodyThatWasAltered() {
    String altered = webhook.body().toString().replace("Köln", "Bonn");

    assertRefused(webhook.withBody(altered), "the signature does not match the body");
  }

  @Test
  void refusesAReserializedBody() {
    String again = webhook.body().toJsonObject().encodePrettily();

    assertRefused(webhook.withBody(again), "the signature does not match the body");
  }

  @Test
  void refusesAnotherSecret() {
    assertRefused(webhook.signed("whsec_another", NOW), "the signature does not match the body");
  }

  @Test
  void refusesATimestampThatIsNotTheSignedOne() {
    String signature = webhook.headers().get("x-service-signature");
    String later = signature.replaceFirst("t=\\d+", "t=" + (NOW.getEpochSecond() + 1));

    assertRefused(
        webhook.with("x-service-signature", later), "the signature does not match the body");
  }

  @ParameterizedTest
  @ValueSource(longs = {-300, 300})
  void acceptsTheOldestAllowedTimestamp(long ageSeconds) {
    SampleWebhook aged = webhook.signed(SECRET, NOW.minus(Duration.ofSeconds(ageSeconds)));

    assertThat(verify(aged)).isInstanceOf(Genuine.class);
  }

  @ParameterizedTest
  @ValueSource(longs = {-301, 301})
  void refusesStaleAndFutureTimestamps(long ageSeconds) {
    SampleWebhook aged = webhook.signed(SECRET, NOW.minus(Duration.ofSeconds(ageSeconds)));

    assertRefused(aged, "the signature is " + ageSeconds + " s old, 300 s are allowed");
  }

  @Test
  void acceptsAnyOfSeveralSignatures() {
    long t = NOW.getEpochSecond();
    String both = "t=" + t + "," + webhook.v1("whsec_newer", t) + "," + webhook.v1(SECRET, t);

    assertThat(verify(webhook.with("x-service-signature", both))).isInstanceOf(Genuine.class);
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        "",
        ",",
        "v1=00",
        "t=,v1=00",
        "t=-1,v1=00",
        "t=1e9,v1=00",
        "t=99999999999999999999,v1=00"
      })
  void refusesASignatureWithoutATimestamp(String signature) {
    assertRefused(
        webhook.with("x-service-signature", signature),
        "x-service-signature does not begin with t=<unix seconds>");
  }

  @ParameterizedTest
  @ValueSource(strings = {"", ",", ",v1=", ",v1=zz", ",v0=00"})
  void refusesMalformedSignatures(String rest) {
    assertRefused(
        webhook.with("x-service-signature", "t=" + NOW.getEpochSecond() + rest),
        "the signature does not match the body");
  }

  @Test
  void refusesUppercaseHex() {
    String upper = webhook.v1(SECRET, NOW.getEpochSecond()).substring(3).toUpperCase(Locale.ROOT);

    assertRefused(
        webhook.with("x-service-signature", "t=" + NOW.getEpochSecond() + ",v1=" + upper),
        "the signature does not match the body");
  }

  @Test
  void refusesHeadersOfStandardWebhooksThatDoNotMatch() {
    SampleWebhook standard = webhook.alsoSignedByStandard(SECRET, NOW);
    assertThat(verify(standard)).isInstanceOf(Genuine.class);
    assertThat(
            verify(
                standard.with(
                    "webhook-signature", "v1,AAAA " + standard.headers().get("webhook-signature"))))
        .isInstanceOf(Genuine.class);

    assertRefused(
        webhook.alsoSignedByStandard("whsec_another", NOW),
        "webhook-signature does not match the body");
    assertRefused(standard.without("webhook-id"), "webhook-id is not x-service-delivery");
    assertRefused(
        standard.with("webhook-timestamp", "1"),
        "webhook-timestamp is not the t of x-service-signature");
  }

  @Test
  void refusesMalformedHeaders() {
    assertRefused(webhook.without("x-service-signature"), "x-service-signature is missing");
    assertRefused(
        webhook.with("content-type", "text/plain"), "content-type is not application/json");
    assertRefused(
        webhook.without("x-service-event"),
        "x-service-event is none of [capture.erased, capture.processed, capture.updated, captures.page, changes.page]");
    assertRefused(
        webhook.with("x-service-delivery", "3f1c1f5e-6e0c-4b3e-9d0a-0d9b5f1c2a11"),
        "x-service-delivery is not the envelope's delivery_id");
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        "",
        "[]",
        "{\"event\":\"capture.processed\"}",
        "{\"event\":\"capture.processed\",\"delivery_id\":7,\"data\":{}}",
        "{\"event\":\"capture.processed\",\"delivery_id\":\"seven\",\"data\":{}}"
      })
  void refusesASignedBodyThatIsNotAnEnvelope(String body) {
    assertRefused(webhook.withBody(body).signed(SECRET, NOW), "the body is not an envelope");
  }

  private Verdict verify(SampleWebhook sample) {
    return verifier.verify(sample.headers(), sample.body());
  }

  private void assertRefused(SampleWebhook sample, String reason) {
    assertThat(verify(sample)).isEqualTo(new Refused(reason));
  }
}
