package io.egress.api.admin.deliveries;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.egress.api.Service;
import io.egress.platform.metrics.Metrics;
import io.egress.transcript.document.DocumentStore;
import io.egress.transcript.document.Fragment;
import io.egress.webhook.delivery.Delivery;
import io.egress.webhook.delivery.DeliveryId;
import io.egress.webhook.delivery.Event;
import io.egress.webhook.deliverylog.DeliveryLog;
import io.egress.webhook.deliverylog.DeliveryState;
import io.egress.webhook.deliverylog.LogEntry;
import io.egress.webhook.deliverylog.LogMaintenance;
import io.egress.webhook.deliverylog.MadeAttempt;
import io.egress.webhook.send.Content;
import io.egress.webhook.send.DocumentHead;
import io.egress.webhook.send.Envelope;
import io.egress.webhook.send.Exchanged;
import io.egress.webhook.send.SentRequest;
import io.egress.webhook.send.WebhookSignature;
import io.vertx.core.buffer.Buffer;
import io.vertx.core.json.JsonArray;
import io.vertx.core.json.JsonObject;
import io.vertx.sqlclient.Row;
import java.net.http.HttpResponse;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.UUID;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/** What was sent and what came back, as long as it may be shown. */
class SentBodyTest {
  private static final Instant SENT_AT = Instant.parse("2026-11-22T19:00:00.123Z");

  private static Service service;

  private final UUID workspace = UUID.randomUUID();
  private final UUID capture = UUID.randomUUID();
  private final String path = "/internal/v1/workspaces/" + workspace;
  private UUID endpoint = workspace;
  private String secret = "";

  @BeforeAll
  static void start() {
    service = Service.start();
    new LogMaintenance(service.database, WrittenOutcomes.DAYS).run();
  }

  @AfterAll
  static void stop() {
    service.close();
  }

  /** An endpoint, and a capture that was sent to it in one attempt. */
  @BeforeEach
  void send() {
    JsonObject created =
        new JsonObject(
            service
                .internal("POST", path + "/endpoints", "{\"url\":\"https://example.com/hook\"}")
                .body());
    endpoint = UUID.fromString(created.getString("id"));
    secret = created.getString("secret");
    service.put(capture, Service.capture(workspace).put("title", "Grüße 日本"));
    String document = awaitDocument();
    String body =
        "{\"event\":\"capture.processed\",\"delivery_id\":\"%s\",\"emitted_at\":\"%s\",\"data\":%s}"
            .formatted(id(), SENT_AT, document);
    write(body);
  }

  @Test
  void aReferenceIsShownAsItWasSentAlsoAfterAChange() {
    forget();
    String data =
        "{\"id\":\"%s\",\"workspace_id\":\"%s\",\"url\":\"/api/v1/captures/%s\",\"emitted_at\":\"%s\"}"
            .formatted(capture, workspace, capture, SENT_AT);
    String body =
        "{\"event\":\"capture.processed\",\"delivery_id\":\"%s\",\"emitted_at\":\"%s\",\"data\":%s}"
            .formatted(id(), SENT_AT, data);
    write(body);
    service.put(capture, Service.capture(workspace).put("title", "Corrected"));

    JsonObject shown = shown("?body=1");

    assertThat(shown.getString("body")).isEqualTo(body);
    assertThat(shown.getBoolean("is_body_verified")).isTrue();
  }

  @Test
  void showsWhatWasSentAndWhatCameBack() {
    JsonObject attempt = attempt(shown(""));

    JsonObject request = attempt.getJsonObject("request");
    assertThat(request.getString("emitted_at")).isEqualTo(SENT_AT.toString());
    assertThat(request.getLong("revision")).isEqualTo(revision());
    assertThat(request.getInteger("times")).isEqualTo(2);
    assertThat(headers(request.getJsonArray("headers")))
        .contains(
            "content-type: application/json",
            "x-service-delivery: " + id(),
            "x-service-signature: " + request.getString("signature"),
            "user-agent: Transcript-Egress/test",
            "x-token: null");
    assertThat(headers(attempt.getJsonArray("answer_headers")))
        .containsExactly("server: nginx", "set-cookie: null");
    assertThat(attempt.getBoolean("is_body_known")).isTrue();
  }

  @Test
  void theBodyIsTheOneThatWasSigned() {
    JsonObject shown = shown("?body=1");
    JsonObject request = attempt(shown).getJsonObject("request");

    byte[] body = shown.getString("body").getBytes(UTF_8);

    assertThat(body).hasSize(request.getInteger("length"));
    assertThat(new WebhookSignature(List.of(secret)).sign(SENT_AT.getEpochSecond(), body))
        .isEqualTo(request.getString("signature"));
    assertThat(shown.getBoolean("is_body_verified")).isTrue();
    assertThat(new JsonObject(shown.getString("body")).getJsonObject("data").getString("title"))
        .isEqualTo("Grüße 日本");
  }

  @Test
  void aBodyThatWasSentCompressedIsShownAsText() {
    String text = shown("?body=1").getString("body");
    forget();
    Fragment stored = Service.await(documents().ofRevision(capture, revision())).orElseThrow();
    byte[] sent =
        Envelope.compose(
                Event.CAPTURE_PROCESSED,
                id(),
                SENT_AT,
                new Content.Document(new DocumentHead(revision(), stored)),
                true)
            .buffer()
            .getBytes();
    write(sent, "content-encoding: gzip\nuser-agent: Transcript-Egress/test");

    JsonObject shown = shown("?body=1");

    assertThat(shown.getString("body")).isEqualTo(text);
    assertThat(shown.getBoolean("is_body_verified")).isTrue();
    JsonObject request = attempt(shown).getJsonObject("request");
    assertThat(request.getInteger("length")).isEqualTo(sent.length);
    assertThat(headers(request.getJsonArray("headers"))).contains("content-encoding: gzip");
  }

  private static DocumentStore documents() {
    return new DocumentStore(service.vertx, service.database, new Metrics());
  }

  private void forget() {
    service.query("delete from attempts where delivery_id = '" + id() + "'");
    service.query("delete from deliveries where id = '" + id() + "'");
  }

  @Test
  void aBodyIsNotVerifiedOnceTheSecretIsGone() {
    service.internal(
        "POST", path + "/endpoints/" + endpoint + "/rotate-secret", "{\"overlap\":\"0s\"}");

    assertThat(shown("?body=1").getBoolean("is_body_verified")).isFalse();
  }

  @Test
  void theBodyOfAnotherRevisionIsNotShown() {
    service.put(capture, Service.capture(workspace).put("title", "Corrected"));
    await().until(() -> !attempt(shown("")).getBoolean("is_body_known"));

    assertRefused(409, "?body=1", "the capture has changed since");
    assertThat(attempt(shown("")).getJsonObject("request").getString("signature")).startsWith("t=");
  }

  @Test
  void ofAnErasedCaptureOnlyTheSignatureRemains() {
    service.internal("DELETE", "/internal/v1/captures/" + capture, "{\"reason\":\"requested\"}");

    JsonObject attempt = attempt(shown(""));
    assertThat(attempt.getBoolean("is_body_known")).isFalse();
    assertThat(attempt.getJsonArray("answer_headers")).isEmpty();
    assertThat(attempt.getString("answer")).isEmpty();
    assertThat(attempt.getJsonObject("request").getString("signature")).startsWith("t=");
    assertRefused(409, "?body=1", "was erased");
  }

  @Test
  void refusesAttemptsThatWereNotMade() {
    assertRefused(404, "?body=2", "no such attempt");
    assertRefused(400, "?body=0", "must be the number of an attempt");
    assertRefused(400, "?body=x", "must be the number of an attempt");
    service.query(
        "update attempts set signature = null, length = null where delivery_id = '" + id() + "'");
    assertRefused(409, "?body=1", "nothing was sent");
    assertThat(attempt(shown("")).getValue("request")).isNull();
  }

  @Test
  void deliveriesLeadToEachOther() {
    JsonObject redelivery =
        new JsonObject(
            service.internal("POST", path + "/deliveries/" + id() + "/redeliver", "").body());
    Delivery again =
        Delivery.replayed(
            UUID.fromString(redelivery.getString("replay_id")),
            endpoint,
            capture,
            1,
            Delivery.Origin.REDELIVERY,
            Instant.now());
    Service.await(
        new DeliveryLog(service.database, WrittenOutcomes.DAYS)
            .write(List.of(LogEntry.owed(again))));

    JsonArray others = shown("").getJsonArray("redeliveries");
    assertThat(others).hasSize(1);
    assertThat(others.getJsonObject(0).getString("id")).isEqualTo(redelivery.getString("id"));
    JsonObject second =
        new JsonObject(
            service.internal("GET", path + "/deliveries/" + redelivery.getString("id"), "").body());
    assertThat(second.getString("redelivery_of")).isEqualTo(id().toString());
    assertThat(second.getJsonArray("redeliveries")).isEmpty();
  }

  private void write(String body) {
    write(body.getBytes(UTF_8), "user-agent: Transcript-Egress/test\nx-token");
  }

  private void write(byte[] bytes, String headers) {
    Row row =
        service
            .query("select position, entered_at from stream where capture_id = '" + capture + "'")
            .iterator()
            .next();
    Delivery delivery =
        Delivery.first(
            id(),
            endpoint,
            capture,
            row.getLong("position"),
            Delivery.Origin.LIVE,
            row.getOffsetDateTime("entered_at").toInstant());
    SentRequest request =
        new SentRequest(
            new WebhookSignature(List.of(secret)).sign(SENT_AT.getEpochSecond(), bytes),
            headers,
            bytes.length,
            2);
    MadeAttempt attempt =
        new MadeAttempt(
            SENT_AT,
            Duration.ofMillis(7),
            "status",
            500,
            "answered 500",
            revision(),
            new Exchanged(request, "server: nginx\nset-cookie", Buffer.buffer("no")));
    Service.await(
        new DeliveryLog(service.database, WrittenOutcomes.DAYS)
            .write(List.of(new LogEntry(delivery, DeliveryState.EXHAUSTED, attempt, null))));
  }

  /** The document as a pull returns it, with the instant of the attempt. */
  private String awaitDocument() {
    String key = service.mintKey(workspace);
    await().until(() -> service.pull("/api/v1/captures/" + capture, key).statusCode() == 200);
    return service
        .pull("/api/v1/captures/" + capture, key)
        .body()
        .replaceFirst("\"emitted_at\":\"[^\"]+\"", "\"emitted_at\":\"" + SENT_AT + "\"");
  }

  private long revision() {
    return service
        .query("select revision from captures where id = '" + capture + "'")
        .iterator()
        .next()
        .getLong(0);
  }

  private UUID id() {
    return DeliveryId.of(endpoint, capture);
  }

  private JsonObject shown(String query) {
    HttpResponse<String> shown = service.internal("GET", path + "/deliveries/" + id() + query, "");
    assertThat(shown.statusCode()).as(shown.body()).isEqualTo(200);
    return new JsonObject(shown.body());
  }

  private void assertRefused(int status, String query, String reason) {
    HttpResponse<String> refused =
        service.internal("GET", path + "/deliveries/" + id() + query, "");
    assertThat(refused.statusCode()).as(refused.body()).isEqualTo(status);
    assertThat(refused.body()).contains(reason);
  }

  private static JsonObject attempt(JsonObject delivery) {
    return delivery.getJsonArray("attempt_log").getJsonObject(0);
  }

  private static List<String> headers(JsonArray headers) {
    return headers.stream()
        .map(JsonObject.class::cast)
        .map(header -> header.getString("name") + ": " + header.getString("value"))
        .toList();
  }
}
