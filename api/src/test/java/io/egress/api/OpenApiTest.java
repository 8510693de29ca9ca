package io.egress.api;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.egress.api.admin.endpoints.EndpointsClient;
import io.egress.platform.http.Routes;
import io.egress.webhook.deliverylog.LogDays;
import io.egress.webhook.deliverylog.LogMaintenance;
import io.vertx.core.json.JsonArray;
import io.vertx.core.json.JsonObject;
import java.net.URI;
import java.net.http.HttpRequest;
import java.net.http.HttpRequest.BodyPublishers;
import java.net.http.HttpResponse;
import java.time.Clock;
import java.time.Duration;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Set;
import java.util.TreeSet;
import java.util.UUID;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;

/** Compares the descriptions with the running server. */
class OpenApiTest {
  private static final UUID WORKSPACE = UUID.randomUUID();
  private static final UUID CAPTURE = UUID.randomUUID();

  private static final Service service = Service.shared();
  private static String key;

  @BeforeAll
  static void start() {
    key = service.mintKey(WORKSPACE);
    JsonObject member = new JsonObject().put("id", UUID.randomUUID().toString()).put("name", "Ada");
    JsonObject capture =
        Service.capture(WORKSPACE)
            .put(
                "participants",
                new JsonArray()
                    .add(
                        new JsonObject()
                            .put("label", "S1")
                            .put("member", member)
                            .put("match_confidence", 1)
                            .put("speech_ms", 5))
                    .add(new JsonObject().put("label", "S2").put("speech_ms", 0)));
    service.put(CAPTURE, capture);
    await().until(() -> service.pull("/api/v1/captures/" + CAPTURE, key).statusCode() == 200);
  }

  @Test
  void describesVersionOneWithItsWebhook() {
    JsonObject description = publicDescription();

    assertThat(description.getString("openapi")).startsWith("3.1.");
    assertThat(description.getJsonObject("info").getString("version")).startsWith("1.");
    assertThat(description.getJsonObject("webhooks").fieldNames())
        .containsExactly("capture.processed", "capture.updated", "capture.erased");
    assertThat(description.getJsonObject("paths").getJsonObject("/api/v1/captures").encode())
        .contains("listCaptures");
  }

  /** Generators put what has no tag into one class, and paths and webhooks overwrite each other. */
  @Test
  void groupsEveryOperation() {
    for (JsonObject description : List.of(publicDescription(), internalDescription())) {
      List<Object> tags =
          description.getJsonArray("tags").stream()
              .map(tag -> (Object) ((JsonObject) tag).getString("name"))
              .toList();
      assertThat(description.getJsonArray("servers")).isNotEmpty();
      for (String section : List.of("paths", "webhooks")) {
        JsonObject items = description.getJsonObject(section, new JsonObject());
        for (String path : items.fieldNames()) {
          items
              .getJsonObject(path)
              .forEach(operation ->
                  assertThat(((JsonObject) operation.getValue()).getJsonArray("tags"))
                      .as(operation.getKey() + " " + path)
                      .hasSize(1)
                      .isSubsetOf(tags));
        }
      }
    }
  }

  @Test
  void answersEveryDescribedOperation() {
    for (Map.Entry<JsonObject, String> listener :
        Map.of(
                publicDescription(),
                service.publicUrl(""),
                internalDescription(),
                service.internalUrl(""))
            .entrySet()) {
      JsonObject paths = listener.getKey().getJsonObject("paths");
      for (String path : paths.fieldNames()) {
        for (String method : paths.getJsonObject(path).fieldNames()) {
          HttpResponse<String> answer = call(listener.getValue(), path, method);
          JsonObject responses =
              paths.getJsonObject(path).getJsonObject(method).getJsonObject("responses");
          assertThat(answer.body()).as(method + " " + path).doesNotContain("no such path");
          assertThat(responses.fieldNames())
              .as(method + " " + path)
              .contains(Integer.toString(answer.statusCode()));
        }
      }
    }
  }

  @Test
  void describesEveryCall() {
    Set<String> described = new TreeSet<>();
    for (JsonObject description : List.of(publicDescription(), internalDescription())) {
      JsonObject paths = description.getJsonObject("paths");
      for (String path : paths.fieldNames()) {
        for (String method : paths.getJsonObject(path).fieldNames()) {
          described.add(method.toUpperCase(Locale.ROOT) + " " + path);
        }
      }
    }

    assertThat(service.app.calls().stream().map(OpenApiTest::described).distinct())
        .containsExactlyInAnyOrderElementsOf(described);
  }

  @Test
  void answersAsDescribed() {
    DescribedAnswers answers = new DescribedAnswers(publicDescription());
    UUID erased = service.enter(WORKSPACE, 1).get(0);
    service.internal("DELETE", "/internal/v1/captures/" + erased, "{\"reason\":\"a test\"}");
    answers.check(service.pull("/api/v1/captures/" + erased, key));
    answers.check(service.pull("/api/v1/changes", key));
    answers.check(service.pull("/api/v1/changes?limit=0", key));
    answers.check(service.pull("/api/v1/inventory", key));
    for (String path :
        List.of(
            "/api/v1/captures",
            "/api/v1/captures/" + CAPTURE,
            "/api/v1/openapi.json",
            "/.well-known/endpoints/" + signedByEd25519() + "/jwks.json",
            "/.well-known/endpoints/" + WORKSPACE + "/jwks.json")) {
      answers.check(service.pull(path, key));
    }
    answers.check(service.pull("/health/live", key));
    answers.check(service.pull("/health/ready", key));
    answers.check(service.pull("/api/v1/captures?limit=0", key));

    assertThat(answers.answered()).isEqualTo(answers.operations());
  }

  private static String signedByEd25519() {
    String body = "{\"url\":\"https://example.com/hook\",\"standard_webhooks\":\"ed25519\"}";
    return new JsonObject(
            service
                .internal("POST", "/internal/v1/workspaces/" + WORKSPACE + "/endpoints", body)
                .body())
        .getString("id");
  }

  @Test
  void internalListenerAnswersAsDescribed() {
    DescribedAnswers answers = new DescribedAnswers(internalDescription());
    new EveryCall(
            (method, path, body) -> {
              HttpResponse<String> answer = RouteTableTest.send(service, method, path, body);
              answers.check(answer);
              return answer;
            })
        .make();
    UUID workspace = UUID.randomUUID();
    EndpointsClient endpoints = new EndpointsClient(service, workspace);
    JsonObject endpoint =
        endpoints.create(
            new JsonObject()
                .put("url", "https://example.com/pages")
                .put("delivery", "stream")
                .put("full_history", true));
    UUID capture = service.enter(workspace, 1).getFirst();
    answers.check(page(workspace, endpoint));
    answers.check(skipped(endpoints, endpoint, capture));

    assertThat(answers.answered()).isEqualTo(answers.operations());
  }

  /** That the endpoint was sent. */
  private static HttpResponse<String> page(UUID workspace, JsonObject endpoint) {
    UUID id = UUID.randomUUID();
    new LogMaintenance(service.database, new LogDays(Clock.systemUTC(), Duration.ofDays(3))).run();
    service.query(
        """
        with page as (
          insert into pages (day, id, endpoint_id, after_position, last_position, tried_up_to, documents, state, attempts, last_outcome, owed_at)
          values (current_date, '%s', '%s', 0, 1, 1, 1, 'pending', 1, 'status', now()) returning day, id)
        insert into attempts (day, delivery_id, attempt, started_at, duration_ms, outcome, status, signature, length)
        select day, id, 1, now(), 1, 'status', 422, 't=1,v1=00', 17 from page
        """
            .formatted(id, endpoint.getString("id")));
    return service.internal("GET", "/internal/v1/workspaces/" + workspace + "/pages/" + id, "");
  }

  /** Of an endpoint that its receiver holds. */
  private static HttpResponse<String> skipped(
      EndpointsClient endpoints, JsonObject endpoint, UUID capture) {
    service.query(
        "update turns set page_up_to = 1, page_end = 1, looked_up_to = 1, held_capture = '%s' where endpoint_id = '%s'"
            .formatted(capture, endpoint.getString("id")));
    return service.internal(
        "POST",
        endpoints.at(endpoint) + "/skip",
        new JsonObject().put("capture_id", capture.toString()));
  }

  private static String described(Routes.Call call) {
    return call.method() + " " + call.path().replaceAll(":(\\w+)", "{$1}");
  }

  private static HttpResponse<String> call(String base, String path, String method) {
    String filled =
        path.replace("{workspace}", WORKSPACE.toString())
            .replace("{id}", UUID.randomUUID().toString())
            .replace("{label}", "S1");
    String token = path.startsWith("/internal") ? Service.TOKEN : key;
    return Service.send(
        HttpRequest.newBuilder(URI.create(base + filled))
            .header("authorization", "Bearer " + token)
            .header(
                "content-type",
                path.equals("/internal/v1/captures") ? "application/x-ndjson" : "application/json")
            .method(method.toUpperCase(Locale.ROOT), BodyPublishers.noBody()));
  }

  private static JsonObject publicDescription() {
    return new JsonObject(service.pull("/api/v1/openapi.json", "").body());
  }

  private static JsonObject internalDescription() {
    return new JsonObject(service.internal("GET", "/internal/v1/openapi.json", "").body());
  }
}
