package io.egress.api.admin.erasures;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.egress.api.Service;
import io.vertx.core.json.JsonArray;
import io.vertx.core.json.JsonObject;
import java.net.URI;
import java.net.http.HttpRequest;
import java.net.http.HttpRequest.BodyPublishers;
import java.net.http.HttpResponse;
import java.util.ArrayList;
import java.util.List;
import java.util.UUID;
import java.util.stream.IntStream;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

class WorkspaceEndTest {
  private static Service service;

  private UUID workspace;
  private String key;

  @BeforeAll
  static void start() {
    service = Service.start();
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
  void nothingCanBeReadOrSentFromItsEndOn() {
    service.enter(workspace, 1);
    String endpoint = create("/endpoints", "{\"url\":\"https://receiver.invalid/x\"}", 201);
    String link = create("/portal-links", "{\"role\":\"admin\"}", 201);

    end(200);

    assertThat(service.pull("/api/v1/captures", key).statusCode()).isEqualTo(401);
    assertThat(
            service
                .internal("GET", path("/endpoints/" + new JsonObject(endpoint).getString("id")), "")
                .statusCode())
        .isEqualTo(404);
    URI opened = URI.create(new JsonObject(link).getString("url"));
    String token = "token=" + opened.getFragment();
    HttpResponse<String> late =
        Service.send(
            HttpRequest.newBuilder(URI.create(service.internalUrl("/portal/open")))
                .header("content-type", "application/x-www-form-urlencoded")
                .POST(BodyPublishers.ofString(token)));
    assertThat(late.statusCode()).isGreaterThanOrEqualTo(400);
    assertThat(late.headers().firstValue("location")).isEmpty();
    assertThat(service.internal("GET", path("/audit"), "").body())
        .contains("workspace.ended", "endpoint.created");
  }

  @Test
  void whatItContainsIsErased() {
    String said = "Only said in " + workspace;
    String ada = "Ada of " + workspace;
    String room = "Room of " + workspace;
    UUID member = UUID.randomUUID();
    JsonObject capture =
        Service.capture(workspace)
            .put("title", said)
            .put(
                "device",
                new JsonObject().put("id", UUID.randomUUID().toString()).put("name", room))
            .put(
                "participants",
                new JsonArray()
                    .add(
                        new JsonObject()
                            .put("label", "S1")
                            .put("speech_ms", 10)
                            .put(
                                "member",
                                new JsonObject().put("id", member.toString()).put("name", ada))));
    importLines(
        IntStream.range(0, 230)
            .mapToObj(_ -> capture.copy().put("id", UUID.randomUUID().toString()))
            .toList());
    JsonObject silent = capture.copy().put("segments", new JsonArray());
    assertThat(service.put(UUID.randomUUID(), silent).statusCode()).isEqualTo(201);
    await().until(() -> shown().getLong("captures") == 230);
    assertThat(TextSearch.in(service, said, ada, room)).isNotEmpty();

    assertThat(new JsonObject(end(200)).getString("ended_at")).isNotNull();

    await().until(() -> shown().getLong("erased") == 230);
    await().until(() -> TextSearch.in(service, said, ada, room).isEmpty());
    assertThat(shown().getString("emptied_at")).isNull();
    endedLongAgo();
    erase();
    assertThat(shown().getString("emptied_at")).isNotNull();
    assertThat(service.internal("GET", "/internal/v1/workspaces", "").body())
        .doesNotContain(workspace.toString());
  }

  @Test
  void nothingCanBeAddedAfterwards() {
    JsonObject capture = Service.capture(workspace);
    UUID known = UUID.randomUUID();
    service.put(known, capture);
    await().until(() -> shown().getLong("captures") == 1);
    service.query(
        "insert into operator_notices (event, workspace_id, data) values ('endpoint.paused', '%s', '{}')"
            .formatted(workspace));
    end(200);
    assertThat(service.query("select 1 from operator_notices")).isEmpty();

    String ended = "the workspace has ended";
    for (JsonObject late : List.of(capture, Service.capture(workspace))) {
      HttpResponse<String> refused = service.put(UUID.randomUUID(), late);
      assertThat(refused.statusCode()).isEqualTo(410);
      assertThat(refused.body()).contains(ended);
    }
    assertThat(service.put(known, capture.copy().put("title", "fixed")).statusCode())
        .isEqualTo(410);
    assertThat(importLines(List.of(capture.copy().put("id", UUID.randomUUID().toString()))))
        .contains(ended);
    create("/api-keys", "{\"name\":\"late\"}", 410);
    create("/endpoints", "{\"url\":\"https://receiver.invalid/late\"}", 410);
    create("/portal-links", "{\"role\":\"view\"}", 410);
    assertThat(service.internal("PATCH", path(""), "{\"legal_hold\":true}").statusCode())
        .isEqualTo(410);
    JsonObject named =
        new JsonObject().put("workspace_id", workspace.toString()).put("name", "Late Name");
    for (String thing : List.of("members", "devices")) {
      assertThat(
              service
                  .internal("PUT", "/internal/v1/" + thing + "/" + UUID.randomUUID(), named)
                  .statusCode())
          .isEqualTo(410);
    }
    assertThat(TextSearch.in(service, "Late Name")).isEmpty();
    assertThat(service.query("select 1 from api_keys where workspace_id = '" + workspace + "'"))
        .isEmpty();
  }

  @Test
  void otherWorkspacesOfAnImportAreNotConcerned() {
    end(200);
    UUID other = UUID.randomUUID();
    List<JsonObject> lines = new ArrayList<>();
    for (UUID each : List.of(workspace, other, workspace, other)) {
      lines.add(Service.capture(each).put("id", UUID.randomUUID().toString()));
    }

    JsonObject report = new JsonObject(importLines(lines));

    assertThat(report.getInteger("created")).isEqualTo(2);
    assertThat(report.getJsonArray("refused")).hasSize(2);
  }

  /** As if its call had begun before the end and were committed after it. */
  @Test
  void aCaptureThatComesWhileItEndsIsErased() {
    end(200);
    endedLongAgo();
    service.query("update workspaces set ended_at = null where id = '%s'".formatted(workspace));
    UUID late = UUID.randomUUID();
    service.put(late, Service.capture(workspace).put("title", "Came late"));
    endedLongAgo();
    erase();
    await()
        .until(() -> {
          erase();
          return TextSearch.in(service, "Came late").isEmpty();
        });
    await()
        .until(() -> {
          erase();
          return shown().getString("emptied_at") != null;
        });
    assertThat(shown().getLong("erased")).isEqualTo(1);
  }

  @Test
  void repeatingTheCallChangesNothing() {
    String ended = new JsonObject(end(200)).getString("ended_at");

    assertThat(new JsonObject(end(200)).getString("ended_at")).isEqualTo(ended);
    assertThat(
            service.query(
                "select 1 from audit where action = 'workspace.ended' and workspace_id = '%s'"
                    .formatted(workspace)))
        .hasSize(1);
  }

  @Test
  void legalHoldAndUnknownOnesAreRefused() {
    service.internal("PATCH", path(""), "{\"legal_hold\":true}");

    assertThat(end(409)).contains("legal hold");
    assertThat(service.pull("/api/v1/captures", key).statusCode()).isEqualTo(200);
    workspace = UUID.randomUUID();
    assertThat(end(404)).contains("no such workspace");
  }

  private String end(int status) {
    HttpResponse<String> answer = service.internal("DELETE", path(""), "");
    assertThat(answer.statusCode()).as(answer.body()).isEqualTo(status);
    return answer.body();
  }

  private String create(String what, String body, int status) {
    HttpResponse<String> answer = service.internal("POST", path(what), body);
    assertThat(answer.statusCode()).as(answer.body()).isEqualTo(status);
    return answer.body();
  }

  private JsonObject shown() {
    return new JsonObject(service.internal("GET", path(""), "").body());
  }

  private String path(String rest) {
    return "/internal/v1/workspaces/" + workspace + rest;
  }

  private void endedLongAgo() {
    service.query(
        "update workspaces set ended_at = now() - interval '1 hour', emptied_at = null where id = '%s'"
            .formatted(workspace));
  }

  private static void erase() {
    new BackgroundErasure(service.database, null).run();
  }

  private static String importLines(List<JsonObject> captures) {
    HttpResponse<String> imported =
        Service.send(
            HttpRequest.newBuilder(URI.create(service.internalUrl("/internal/v1/captures")))
                .header("authorization", "Bearer " + Service.TOKEN)
                .header("content-type", "application/x-ndjson")
                .POST(
                    BodyPublishers.ofString(
                        String.join("\n", captures.stream().map(JsonObject::encode).toList()))));
    assertThat(imported.statusCode()).as(imported.body()).isEqualTo(200);
    return imported.body();
  }
}
