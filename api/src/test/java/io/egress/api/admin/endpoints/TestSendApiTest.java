package io.egress.api.admin.endpoints;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.egress.api.Service;
import io.egress.transcript.capture.SampleCapture;
import io.vertx.core.buffer.Buffer;
import io.vertx.core.http.HttpServer;
import io.vertx.core.http.HttpServerRequest;
import io.vertx.core.json.JsonObject;
import io.vertx.json.schema.Draft;
import io.vertx.json.schema.JsonSchema;
import io.vertx.json.schema.JsonSchemaOptions;
import io.vertx.json.schema.Validator;
import java.net.http.HttpResponse;
import java.util.ArrayList;
import java.util.HexFormat;
import java.util.List;
import java.util.Map;
import java.util.Queue;
import java.util.UUID;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentLinkedQueue;
import javax.crypto.Mac;
import javax.crypto.spec.SecretKeySpec;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

class TestSendApiTest {
  private record Arrival(HttpServerRequest request, Buffer body) {}

  private static final Queue<Arrival> ARRIVALS = new ConcurrentLinkedQueue<>();
  private static final Queue<HttpServerRequest> HANGING = new ConcurrentLinkedQueue<>();

  private static Service service;
  private static HttpServer receiver;

  private EndpointsClient endpoints;

  @BeforeAll
  static void start() {
    service =
        Service.start(
            Map.of(
                "EGRESS_ALLOW_HTTP_ENDPOINTS", "true",
                "EGRESS_ALLOW_ENDPOINT_NETWORKS", "127.0.0.1/32",
                "EGRESS_ATTEMPT_TIMEOUT", "30s"));
    receiver =
        Service.await(
            service
                .vertx
                .createHttpServer()
                .requestHandler(TestSendApiTest::answer)
                .listen(0, "127.0.0.1"));
  }

  @BeforeEach
  void freshWorkspace() {
    endpoints = new EndpointsClient(service, UUID.randomUUID());
    ARRIVALS.clear();
  }

  @AfterAll
  static void stop() {
    service.close();
  }

  private static void answer(HttpServerRequest request) {
    request
        .body()
        .onSuccess(body -> {
          ARRIVALS.add(new Arrival(request, body));
          switch (request.path()) {
            case "/fine" -> request.response().end("thanks");
            case "/moved" ->
                request.response().setStatusCode(302).putHeader("location", "/fine").end();
            case "/hanging" -> HANGING.add(request);
            case "/large" -> request.response().end("x".repeat(100_000));
            default -> request.response().setStatusCode(500).end("broken");
          }
        });
  }

  @Test
  void sendsASignedSampleAndReturnsTheResponse() throws Exception {
    JsonObject created = endpoints.create(url("/fine"));

    JsonObject result = test(created);

    assertThat(result.getString("outcome")).isEqualTo("delivered");
    assertThat(result.getInteger("status")).isEqualTo(200);
    assertThat(result.getString("answer")).isEqualTo("thanks");
    assertThat(result.getLong("duration_ms")).isNotNegative();
    Arrival arrival = ARRIVALS.remove();
    assertThat(ARRIVALS).isEmpty();
    JsonObject envelope = arrival.body().toJsonObject();
    assertThat(envelope.getString("event")).isEqualTo("capture.processed");
    assertThat(envelope.getString("delivery_id"))
        .isEqualTo(result.getString("delivery_id"))
        .isEqualTo(arrival.request().getHeader("x-service-delivery"));
    JsonObject data = envelope.getJsonObject("data");
    assertThat(data.getString("id"))
        .isEqualTo("7e57da7a-0000-4000-8000-000000000000")
        .isEqualTo(result.getString("capture_id"));
    assertThat(data.getString("workspace_id")).isEqualTo(endpoints.workspace().toString());
    assertThat(data.getString("title")).contains("Test");
    assertThat(arrival.request().getHeader("x-service-signature"))
        .contains(",v1=" + hmac(arrival, created.getString("secret")));
    assertThat(violations(envelope)).isEmpty();

    assertThat(test(created).getString("delivery_id"))
        .as("each test")
        .isNotEqualTo(result.getString("delivery_id"));
  }

  @Test
  void appliesTheRulesOfDeliveries() {
    JsonObject broken = test(endpoints.create(url("/broken")));
    assertThat(broken.getString("outcome")).isEqualTo("status");
    assertThat(broken.getInteger("status")).isEqualTo(500);
    assertThat(broken.getString("answer")).isEqualTo("broken");
    assertThat(test(endpoints.create(url("/moved"))).getInteger("status")).isEqualTo(302);
    assertThat(ARRIVALS).extracting(each -> each.request().path()).doesNotContain("/fine");
    assertThat(test(endpoints.create(url("/large"))).getString("answer")).hasSize(4_096);
    assertThat(test(endpoints.create("http://receiver.invalid/")).getString("outcome"))
        .isEqualTo("dns");
  }

  @Test
  void refusesAddressesThatEndpointsMayNotHave() {
    JsonObject created = endpoints.create(url("/fine"));
    try (Service strict = service.twin(Map.of("EGRESS_ALLOW_ENDPOINT_NETWORKS", ""))) {
      JsonObject result =
          new JsonObject(strict.internal("POST", endpoints.at(created) + "/test", "").body());

      assertThat(result.getString("outcome")).isEqualTo("blocked_address");
      assertThat(ARRIVALS).isEmpty();
    }
  }

  @Test
  void goesThroughTheProxy() {
    JsonObject created = endpoints.create(url("/fine"));
    try (Service behind = service.twin(Map.of("EGRESS_PROXY", "http://127.0.0.1:9"))) {
      JsonObject result =
          new JsonObject(behind.internal("POST", endpoints.at(created) + "/test", "").body());
      assertThat(result.getString("outcome")).isEqualTo("proxy");
      assertThat(result.getString("detail")).contains("plain http is not sent through a proxy");
      assertThat(result.getValue("status")).isNull();
    }
    assertThat(ARRIVALS).isEmpty();
  }

  @Test
  void testsPausedButNotDeletedEndpoints() {
    JsonObject created = endpoints.create(url("/fine"));
    endpoints.change(created, "{\"paused\":true}");
    assertThat(test(created).getString("outcome")).isEqualTo("delivered");

    String foreign =
        "/internal/v1/workspaces/%s/endpoints/%s/test"
            .formatted(UUID.randomUUID(), created.getString("id"));
    assertThat(service.internal("POST", foreign, "").statusCode()).isEqualTo(404);
    service.internal("DELETE", endpoints.at(created), "");
    assertThat(service.internal("POST", endpoints.at(created) + "/test", "").statusCode())
        .isEqualTo(404);
    assertThat(service.internal("POST", endpoints.path() + "/x/test", "").statusCode())
        .isEqualTo(400);
    assertThat(ARRIVALS).hasSize(1);
  }

  @Test
  void isInTheAuditLogAndNotInTheDeliveryLog() {
    JsonObject created = endpoints.create(url("/fine"));
    test(created);

    assertThat(
            service
                .internal(
                    "GET",
                    "/internal/v1/workspaces/"
                        + endpoints.workspace()
                        + "/audit?action=endpoint.tested&thing_id="
                        + created.getString("id"),
                    "")
                .body())
        .contains("endpoint.tested");
    assertThat(service.internal("GET", endpoints.at(created) + "/deliveries", "").body())
        .contains("\"deliveries\":[]");
    assertThat(service.query("select from deliveries").size()).isZero();
  }

  @Test
  void limitsConcurrentTests() {
    JsonObject hanging = endpoints.create(url("/hanging"));
    JsonObject fine = endpoints.create(url("/fine"));
    List<CompletableFuture<JsonObject>> running = new ArrayList<>();
    for (int i = 0; i < 8; i++) {
      running.add(CompletableFuture.supplyAsync(() -> test(hanging)));
    }
    await().until(() -> HANGING.size() == 8);

    HttpResponse<String> refused = service.internal("POST", endpoints.at(fine) + "/test", "");

    assertThat(refused.statusCode()).isEqualTo(503);
    assertThat(refused.headers().firstValue("retry-after")).isPresent();
    HANGING.forEach(request -> request.response().end());
    running.forEach(one -> assertThat(one.join().getString("outcome")).isEqualTo("delivered"));
    assertThat(test(fine).getString("outcome")).isEqualTo("delivered");
  }

  @Test
  void noCaptureCanHaveTheSamplesId() {
    HttpResponse<String> put =
        service.put(SampleCapture.ID, Service.capture(endpoints.workspace()));
    assertThat(put.statusCode()).isEqualTo(400);
    assertThat(EndpointsClient.message(put)).startsWith("id: is reserved for the sample");
  }

  private JsonObject test(JsonObject endpoint) {
    HttpResponse<String> answer = service.internal("POST", endpoints.at(endpoint) + "/test", "");
    assertThat(answer.statusCode()).as(answer.body()).isEqualTo(200);
    return new JsonObject(answer.body());
  }

  private static String url(String path) {
    return "http://127.0.0.1:" + receiver.actualPort() + path;
  }

  private static String hmac(Arrival arrival, String secret) throws Exception {
    String signature = arrival.request().getHeader("x-service-signature");
    Mac mac = Mac.getInstance("HmacSHA256");
    mac.init(new SecretKeySpec(secret.getBytes(UTF_8), "HmacSHA256"));
    mac.update((signature.substring(2, signature.indexOf(',')) + ".").getBytes(UTF_8));
    return HexFormat.of().formatHex(mac.doFinal(arrival.body().getBytes()));
  }

  private static List<String> violations(JsonObject envelope) {
    JsonObject description = new JsonObject(service.pull("/api/v1/openapi.json", "").body());
    JsonObject schema =
        new JsonObject()
            .put("$id", "https://example.com/envelope")
            .put("$ref", "#/components/schemas/WebhookEnvelope")
            .put("components", description.getJsonObject("components"));
    var errors =
        Validator.create(
                JsonSchema.of(schema),
                new JsonSchemaOptions()
                    .setDraft(Draft.DRAFT202012)
                    .setBaseUri("https://example.com/"))
            .validate(envelope)
            .getErrors();
    return errors == null
        ? List.of()
        : errors.stream().map(error -> error.getInstanceLocation() + error.getError()).toList();
  }
}
