package io.egress.api.hook;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

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
import java.util.stream.IntStream;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

class HookApiTest {
  private static Service service;

  private UUID workspace;
  private String key;

  @BeforeAll
  static void start() {
    service =
        Service.start(Map.of("EGRESS_MAX_CAPTURE_SIZE", "1MiB", "EGRESS_HOOK_MEMORY", "4MiB"));
  }

  @AfterAll
  static void stop() {
    service.close();
  }

  @BeforeEach
  void freshWorkspace() {
    workspace = UUID.randomUUID();
    key = service.mintKey(workspace);
  }

  @Test
  void entersTheStreamOnceHoweverOftenItIsCalled() {
    UUID id = UUID.randomUUID();
    JsonObject capture = Service.capture(workspace);

    assertThat(service.put(id, capture).statusCode()).isEqualTo(201);
    assertThat(service.put(id, capture).statusCode()).isEqualTo(200);
    awaitStream(1);
    assertThat(service.put(id, capture.put("title", "Fixed")).statusCode()).isEqualTo(200);
    service.put(UUID.randomUUID(), Service.capture(workspace));

    awaitStream(2);
    assertThat(one(id).getString("title")).isEqualTo("Fixed");
  }

  @Test
  void staysOutOfTheStreamUntilItHasSegments() {
    UUID id = UUID.randomUUID();
    JsonObject silent = Service.capture(workspace).put("segments", new JsonArray());

    assertThat(service.put(id, silent).statusCode()).isEqualTo(201);
    service.put(UUID.randomUUID(), Service.capture(workspace));
    awaitStream(1);
    assertThat(service.pull("/api/v1/captures/" + id, key).statusCode()).isEqualTo(404);

    service.put(id, Service.capture(workspace));
    awaitStream(2);
    service.put(id, silent);
    assertThat(one(id).getJsonArray("segments")).isEmpty();
    assertThat(one(id).getString("transcript_text")).isEmpty();
  }

  @Test
  void keepsACaptureInItsWorkspace() {
    UUID id = UUID.randomUUID();
    service.put(id, Service.capture(workspace));

    HttpResponse<String> answer = service.put(id, Service.capture(UUID.randomUUID()));

    assertThat(answer.statusCode()).isEqualTo(409);
    assertThat(answer.body()).contains("workspace_id");
  }

  @Test
  void showsWhoSpoke() {
    UUID id = UUID.randomUUID();
    UUID ada = UUID.randomUUID();
    service.put(id, conversation(ada, "Ada"));
    awaitStream(1);

    JsonObject document = one(id);
    assertThat(document.getString("transcript_text"))
        .isEqualTo("Ada: Hi.\nS2: Hello.\nUnknown speaker: ...");
    JsonObject participant = document.getJsonArray("participants").getJsonObject(0);
    assertThat(participant.getString("name")).isEqualTo("Ada");
    assertThat(participant.getBoolean("matched")).isTrue();
    assertThat(participant.getDouble("match_confidence")).isEqualTo(0.5);
  }

  @Test
  void showsRenamesOfMembersAndDevicesInEveryCaptureTheyTouch() {
    UUID ada = UUID.randomUUID();
    List<UUID> ids = IntStream.range(0, 5).mapToObj(i -> UUID.randomUUID()).toList();
    ids.forEach(id -> service.put(id, conversation(ada, "Ada")));
    awaitStream(5);

    JsonObject renamed =
        new JsonObject().put("workspace_id", workspace.toString()).put("name", "Ada Fischer");
    assertThat(service.internal("PUT", "/internal/v1/members/" + ada, renamed).statusCode())
        .isEqualTo(204);
    JsonObject room =
        new JsonObject().put("workspace_id", workspace.toString()).put("name", "Atlas");
    String device = Service.capture(workspace).getJsonObject("device").getString("id");
    assertThat(service.internal("PUT", "/internal/v1/devices/" + device, room).statusCode())
        .isEqualTo(204);

    for (UUID id : ids) {
      assertThat(one(id).getString("transcript_text")).startsWith("Ada Fischer: Hi.");
      assertThat(one(id).getJsonObject("device").getString("name")).isEqualTo("Atlas");
    }
  }

  @Test
  void namesSaidByACaptureCountAndNamesLeftOutStay() {
    UUID ada = UUID.randomUUID();
    UUID first = UUID.randomUUID();
    service.put(first, conversation(ada, "Ada"));
    service.put(UUID.randomUUID(), conversation(ada, "Ada F."));
    service.put(UUID.randomUUID(), conversation(ada, null));
    awaitStream(3);

    assertThat(one(first).getString("transcript_text")).startsWith("Ada F.: ");
  }

  @Test
  void aRepeatedBodyDoesNotUndoALaterFix() {
    UUID id = UUID.randomUUID();
    UUID ada = UUID.randomUUID();
    JsonObject body = conversation(ada, "Ada");
    service.put(id, body);
    awaitStream(1);
    service.internal(
        "PUT",
        "/internal/v1/members/" + ada,
        new JsonObject().put("workspace_id", workspace.toString()).put("name", "Ada Fischer"));

    assertThat(service.put(id, body).statusCode()).isEqualTo(200);

    assertThat(one(id).getString("transcript_text")).startsWith("Ada Fischer: ");
  }

  @Test
  void saysWhoASpeakerIs() {
    UUID id = UUID.randomUUID();
    service.put(id, conversation(UUID.randomUUID(), "Ada"));
    awaitStream(1);
    String path = "/internal/v1/captures/" + id + "/participants/";
    JsonObject ben =
        new JsonObject()
            .put("id", UUID.randomUUID().toString())
            .put("name", "Ben")
            .put("email", "b@example.com");

    assertThat(
            service
                .internal("PATCH", path + "S2", new JsonObject().put("member", ben))
                .statusCode())
        .isEqualTo(204);
    assertThat(
            service.internal("PATCH", path + "S1", new JsonObject().putNull("member")).statusCode())
        .isEqualTo(204);

    assertThat(one(id).getString("transcript_text"))
        .isEqualTo("S1: Hi.\nBen: Hello.\nUnknown speaker: ...");
    JsonObject nobody = one(id).getJsonArray("participants").getJsonObject(0);
    assertThat(nobody.getBoolean("matched")).isFalse();
    assertThat(nobody.getValue("match_confidence")).isNull();
    assertThat(
            service.internal("PATCH", path + "S9", new JsonObject().putNull("member")).statusCode())
        .isEqualTo(404);
    assertThat(
            service
                .internal("PATCH", path + "%00", new JsonObject().putNull("member"))
                .statusCode())
        .isEqualTo(404);
    assertThat(service.internal("PATCH", path + "S1", new JsonObject()).statusCode())
        .isEqualTo(400);
  }

  @Test
  void refusesWhatIsFaultyNamingTheFields() {
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
  void refusesBodiesThatAreTooLargeWhetherAnnouncedOrNot() {
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
  void takesTextOfEveryKindAndGivesItBack() {
    UUID id = UUID.randomUUID();
    String text = "\"\\/\b\f\n\r\t\u0001 Ä 漢字 😀 \uFFFD \u2028 e\u0301";
    JsonObject capture = Service.capture(workspace);
    capture.getJsonArray("segments").getJsonObject(0).put("text", text);
    service.put(id, capture);
    awaitStream(1);

    assertThat(one(id).getJsonArray("segments").getJsonObject(0).getString("text")).isEqualTo(text);
  }

  @Test
  void asksForTheInternalToken() {
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

  private JsonObject conversation(UUID ada, @Nullable String name) {
    JsonObject member = new JsonObject().put("id", ada.toString()).put("name", name);
    return Service.capture(workspace)
        .put(
            "participants",
            new JsonArray()
                .add(
                    new JsonObject()
                        .put("label", "S1")
                        .put("member", member)
                        .put("match_confidence", 0.5)
                        .put("speech_ms", 10))
                .add(new JsonObject().put("label", "S2").put("speech_ms", 10)))
        .put(
            "segments",
            new JsonArray()
                .add(segment(0, "S1", "Hi."))
                .add(segment(10, "S2", "Hello."))
                .add(segment(20, null, "...")));
  }

  private static JsonObject segment(long start, @Nullable String speaker, String text) {
    return new JsonObject()
        .put("start_ms", start)
        .put("end_ms", start + 5)
        .put("speaker", speaker)
        .put("text", text);
  }

  private JsonObject one(UUID id) {
    HttpResponse<String> answer = service.pull("/api/v1/captures/" + id, key);
    assertThat(answer.statusCode()).as(answer.body()).isEqualTo(200);
    return new JsonObject(answer.body());
  }

  private void awaitStream(int captures) {
    await()
        .untilAsserted(
            () ->
                assertThat(
                        new JsonObject(service.pull("/api/v1/captures", key).body())
                            .getJsonArray("captures"))
                    .hasSize(captures));
  }
}
