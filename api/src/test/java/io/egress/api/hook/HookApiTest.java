package io.egress.api.hook;

import static org.assertj.core.api.Assertions.assertThat;

import io.egress.api.Service;
import io.vertx.core.json.JsonArray;
import io.vertx.core.json.JsonObject;
import java.io.ByteArrayInputStream;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpRequest.BodyPublishers;
import java.net.http.HttpResponse;
import java.nio.charset.StandardCharsets;
import java.util.List;
import java.util.Map;
import java.util.UUID;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

class HookApiTest {
  private static Service service;

  private UUID workspace;
  private PulledStream stream;

  @BeforeAll
  static void start() {
    service = Service.start(Map.of("EGRESS_MAX_CAPTURE_SIZE", "1MiB", "hook-memory", "4MiB"));
  }

  @AfterAll
  static void stop() {
    service.close();
  }

  @BeforeEach
  void freshWorkspace() {
    workspace = UUID.randomUUID();
    stream = new PulledStream(service, workspace);
  }

  @Test
  void entersTheStreamOnceHoweverOftenACaptureIsPut() {
    UUID id = UUID.randomUUID();
    JsonObject capture = Service.capture(workspace);

    assertThat(service.put(id, capture).statusCode()).isEqualTo(201);
    assertThat(service.put(id, capture).statusCode()).isEqualTo(200);
    stream.awaitSize(1);
    assertThat(service.put(id, capture.put("title", "Fixed")).statusCode()).isEqualTo(200);
    service.put(UUID.randomUUID(), Service.capture(workspace));

    stream.awaitSize(2);
    assertThat(stream.one(id).getString("title")).isEqualTo("Fixed");
  }

  @Test
  void staysOutOfTheStreamUntilItHasSegments() {
    UUID id = UUID.randomUUID();
    JsonObject silent = Service.capture(workspace).put("segments", new JsonArray());

    assertThat(service.put(id, silent).statusCode()).isEqualTo(201);
    service.put(UUID.randomUUID(), Service.capture(workspace));
    stream.awaitSize(1);
    assertThat(service.pull("/api/v1/captures/" + id, stream.key()).statusCode()).isEqualTo(404);

    service.put(id, Service.capture(workspace));
    stream.awaitSize(2);
    service.put(id, silent);
    assertThat(stream.one(id).getJsonArray("segments")).isEmpty();
    assertThat(stream.one(id).getString("transcript_text")).isEmpty();
  }

  @Test
  void refusesToMoveACaptureToAnotherWorkspace() {
    UUID id = UUID.randomUUID();
    service.put(id, Service.capture(workspace));

    HttpResponse<String> answer = service.put(id, Service.capture(UUID.randomUUID()));

    assertThat(answer.statusCode()).isEqualTo(409);
    assertThat(answer.body()).contains("workspace_id");
  }

  @Test
  void refusesInvalidBodiesNamingTheFields() {
    HttpResponse<String> answer =
        service.put(
            UUID.randomUUID(),
            Service.capture(workspace).put("mode", "auto").put("duration_ms", -1));

    assertThat(answer.statusCode()).isEqualTo(400);
    assertThat(answer.body()).contains("mode: must be").contains("duration_ms: must not be");
    assertThat(service.internal("PUT", "/internal/v1/captures/x", "{}").statusCode())
        .isEqualTo(400);
    assertThat(
            service
                .internal("PUT", "/internal/v1/captures/" + UUID.randomUUID(), "\u0000")
                .statusCode())
        .isEqualTo(400);
  }

  @Test
  void refusesBodiesThatAreTooLargeWithAndWithoutContentLength() {
    String large = Service.capture(workspace).put("pad", "x".repeat(1_100_000)).encode();
    String url = service.internalUrl("/internal/v1/captures/" + UUID.randomUUID());
    for (HttpRequest.BodyPublisher body :
        List.of(
            BodyPublishers.ofString(large),
            BodyPublishers.ofInputStream(
                () -> new ByteArrayInputStream(large.getBytes(StandardCharsets.UTF_8))))) {
      HttpResponse<String> answer =
          Service.send(
              HttpRequest.newBuilder(URI.create(url))
                  .version(HttpClient.Version.HTTP_1_1)
                  .header("authorization", "Bearer " + Service.TOKEN)
                  .PUT(body));
      assertThat(answer.statusCode()).isEqualTo(413);
      assertThat(answer.body()).contains("\"status\":413");
    }
  }

  @Test
  void returnsTextOfEveryScriptUnchanged() {
    UUID id = UUID.randomUUID();
    String text = "\"\\/\b\f\n\r\t\u0001 Ä 漢字 😀 \uFFFD \u2028 e\u0301";
    JsonObject capture = Service.capture(workspace);
    capture.getJsonArray("segments").getJsonObject(0).put("text", text);
    service.put(id, capture);
    stream.awaitSize(1);

    assertThat(stream.one(id).getJsonArray("segments").getJsonObject(0).getString("text"))
        .isEqualTo(text);
  }

  @Test
  void requiresTheInternalToken() {
    String url = service.internalUrl("/internal/v1/captures/" + UUID.randomUUID());
    for (String header : List.of("Bearer wrong", "Bearer " + Service.TOKEN + "x", "Basic x")) {
      HttpResponse<String> answer =
          Service.send(
              HttpRequest.newBuilder(URI.create(url))
                  .header("authorization", header)
                  .PUT(BodyPublishers.noBody()));
      assertThat(answer.statusCode()).isEqualTo(401);
      assertThat(answer.body()).contains("internal token");
    }
  }
}
