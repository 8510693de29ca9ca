package io.egress.api.admin.overview;

import static org.assertj.core.api.Assertions.assertThat;

import io.egress.api.Service;
import io.egress.api.admin.deliveries.WrittenOutcomes;
import io.egress.webhook.deliverylog.DeliveryState;
import io.egress.webhook.deliverylog.LogMaintenance;
import io.vertx.core.json.JsonArray;
import io.vertx.core.json.JsonObject;
import java.net.http.HttpResponse;
import java.util.HashMap;
import java.util.HashSet;
import java.util.Map;
import java.util.Set;
import java.util.UUID;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

class WorkspacesApiTest {
  private static Service service;

  private final UUID workspace = UUID.randomUUID();
  private WrittenOutcomes written;

  @BeforeAll
  static void start() {
    service = Service.start();
    new LogMaintenance(service.database, WrittenOutcomes.DAYS).run();
  }

  @BeforeEach
  void open() {
    written = new WrittenOutcomes(service, workspace);
  }

  @AfterAll
  static void stop() {
    service.close();
  }

  @Test
  void listsWorkspacesWithTheHealthOfTheirEndpoints() {
    UUID down = written.endpoint();
    UUID well = written.endpoint();
    written.captures(3);
    written.write(down, 0, 3, DeliveryState.EXHAUSTED);
    written.write(well, 0, 3, DeliveryState.DELIVERED);
    UUID quiet = UUID.randomUUID();
    new WrittenOutcomes(service, quiet).captures(1);

    JsonObject found = all("").get(workspace);
    assertThat(found.getLong("captures")).isEqualTo(3);
    assertThat(found.getLong("captures_last_hour")).isEqualTo(3);
    assertThat(found.getString("newest_at")).isNotNull();
    assertThat(found.getLong("undelivered")).isEqualTo(3);
    assertThat(found.getJsonObject("endpoints").getInteger("down")).isEqualTo(1);
    assertThat(found.getJsonObject("endpoints").getInteger("healthy")).isEqualTo(1);
    assertThat(found.getJsonArray("problems")).hasSize(1);
    JsonObject problem = found.getJsonArray("problems").getJsonObject(0);
    assertThat(problem.getString("endpoint_id")).isEqualTo(down.toString());
    assertThat(problem.getString("health")).isEqualTo("down");
    assertThat(problem.getString("last_outcome")).isEqualTo("status 500");

    assertThat(found.getLong("pending")).isZero();
    assertThat(found.getValue("effective_retention")).isNull();
    assertThat(found.getBoolean("legal_hold")).isFalse();

    assertThat(all("").get(quiet).getLong("captures")).isEqualTo(1);
    assertThat(all("only=failing").ids()).contains(workspace).doesNotContain(quiet);
    assertThat(get("/workspaces?only=quiet").statusCode()).isEqualTo(400);
    assertThat(get("/workspaces?after=here").statusCode()).isEqualTo(400);
  }

  @Test
  void aWorkspaceHasANameIfItIsGivenOne() {
    written.captures(1);
    String path = "/internal/v1/workspaces/" + workspace;
    assertThat(all("").get(workspace).getString("name")).isNull();

    service.internal("PATCH", path, "{\"retention\":\"400d\"}");
    assertThat(service.internal("PATCH", path, "{\"name\":\"Acme Grüße\"}").body())
        .contains("\"name\":\"Acme Grüße\"", "\"retention\":\"9600h\"");
    assertThat(all("").get(workspace).getString("name")).isEqualTo("Acme Grüße");
    service.internal("PATCH", path, "{\"legal_hold\":true}");
    assertThat(service.internal("GET", path, "").body()).contains("Acme Grüße");
    service.internal("PATCH", path, "{\"name\":null}");
    assertThat(all("").get(workspace).getString("name")).isNull();
    for (String refused :
        new String[] {
          "{\"name\":\" \"}", "{\"name\":\"" + "x".repeat(201) + "\"}", "{\"name\":1}"
        }) {
      assertThat(service.internal("PATCH", path, refused).statusCode()).isEqualTo(400);
    }
  }

  @Test
  void saysWhatIsPendingAndHowLongCapturesAreKept() {
    UUID endpoint = written.endpoint();
    written.captures(2);
    written.write(endpoint, 0, 2, DeliveryState.PENDING);
    service.internal(
        "PATCH",
        "/internal/v1/workspaces/" + workspace,
        "{\"retention\":\"90d\",\"legal_hold\":true}");

    JsonObject found = all("").get(workspace);
    assertThat(found.getLong("pending")).isEqualTo(2);
    assertThat(found.getString("oldest_pending_at")).isNotNull();
    assertThat(found.getString("effective_retention")).isEqualTo("2160h");
    assertThat(found.getBoolean("legal_hold")).isTrue();
  }

  @Test
  void pagesThroughAllWorkspaces() {
    Set<UUID> put = new HashSet<>();
    for (int i = 0; i < 25; i++) {
      UUID id = UUID.randomUUID();
      put.add(id);
      service.put(UUID.randomUUID(), Service.capture(id));
    }
    assertThat(all("").ids()).containsAll(put);
  }

  @Test
  void findsACaptureOfWhateverWorkspace() {
    UUID endpoint = written.endpoint();
    written.captures(1);
    written.write(endpoint, 0, 1, DeliveryState.EXHAUSTED);
    UUID later = written.endpoint();
    UUID capture =
        service
            .query("select capture_id from stream where workspace_id = '" + workspace + "'")
            .iterator()
            .next()
            .getUUID("capture_id");

    JsonObject found = new JsonObject(get("/captures/" + capture).body());
    assertThat(found.getString("workspace_id")).isEqualTo(workspace.toString());
    assertThat(found.getString("state")).isEqualTo("in_stream");
    assertThat(found.getLong("position")).isEqualTo(1);
    JsonArray endpoints = found.getJsonArray("endpoints");
    assertThat(endpoints).hasSize(2);
    for (Object each : endpoints) {
      JsonObject shown = (JsonObject) each;
      JsonArray deliveries = shown.getJsonArray("deliveries");
      if (shown.getString("endpoint_id").equals(later.toString())) {
        assertThat(deliveries).as("added later").isEmpty();
      } else {
        assertThat(deliveries.getJsonObject(0).getString("state")).isEqualTo("exhausted");
      }
    }
  }

  @Test
  void findsTheDeliveriesToAllEndpoints() {
    service.query("insert into workspaces (id) values ('" + workspace + "')");
    service.query(
        """
        insert into endpoints (id, workspace_id, spec, secret, created_position, full_history)
        select gen_random_uuid(), '%s', jsonb_build_object('url', 'https://example.com/' || n), '', 0, false
        from generate_series(1, 130) as n\
        """
            .formatted(workspace));
    UUID capture = service.enter(workspace, 1).get(0);

    JsonArray endpoints =
        new JsonObject(get("/captures/" + capture).body()).getJsonArray("endpoints");
    assertThat(endpoints).hasSize(130);
    assertThat(endpoints)
        .allMatch(each -> ((JsonObject) each).getJsonArray("deliveries").size() == 1);
  }

  @Test
  void saysWhyACaptureIsNotInAStream() {
    UUID silent = UUID.randomUUID();
    service.put(silent, Service.capture(workspace).put("segments", new JsonArray()));
    JsonObject found = new JsonObject(get("/captures/" + silent).body());
    assertThat(found.getString("state")).isEqualTo("without_segments");
    assertThat(found.getValue("position")).isNull();

    HttpResponse<String> nowhere = get("/captures/" + UUID.randomUUID());
    assertThat(nowhere.statusCode()).isEqualTo(404);
    assertThat(nowhere.body()).contains("never received a capture with this id");
    assertThat(get("/captures/here").statusCode()).isEqualTo(400);
  }

  private record Found(Map<UUID, JsonObject> byId) {
    JsonObject get(UUID id) {
      return byId.getOrDefault(id, new JsonObject());
    }

    Set<UUID> ids() {
      return byId.keySet();
    }
  }

  private static Found all(String filter) {
    Map<UUID, JsonObject> found = new HashMap<>();
    String after = "";
    while (true) {
      JsonObject page = new JsonObject(get("/workspaces?" + filter + after).body());
      page.getJsonArray("workspaces")
          .forEach(each ->
              found.put(UUID.fromString(((JsonObject) each).getString("id")), (JsonObject) each));
      JsonObject info = page.getJsonObject("pageInfo");
      if (!info.getBoolean("hasNextPage")) {
        return new Found(found);
      }
      after = "&after=" + info.getString("endCursor");
    }
  }

  private static HttpResponse<String> get(String path) {
    return service.internal("GET", "/internal/v1" + path, "");
  }
}
