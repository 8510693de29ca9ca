package io.egress.api.admin.erasures;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.awaitility.Awaitility.await;

import io.egress.api.Service;
import io.egress.api.admin.deliveries.WrittenOutcomes;
import io.egress.webhook.delivery.DeliveryId;
import io.egress.webhook.deliverylog.DeliveryState;
import io.egress.webhook.deliverylog.LogMaintenance;
import io.vertx.core.json.JsonArray;
import io.vertx.core.json.JsonObject;
import java.net.URI;
import java.net.http.HttpRequest;
import java.net.http.HttpRequest.BodyPublishers;
import java.net.http.HttpResponse;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.UUID;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

class RetentionTest {
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
  void erasesWhatIsOlderOldestFirstAndLeavesTheRest() {
    List<UUID> ids = enterOf(3, 40);
    change("{\"retention\":\"30d\"}");
    eraseOlder(null);

    assertThat(pulled()).isEqualTo(ids.subList(3, 6));
    assertThat(erasures()).containsExactlyInAnyOrderElementsOf(ids.subList(0, 3));
    assertThat(
            service
                .query(
                    "select 1 from erasures where reason = 'retention' and workspace_id = '"
                        + workspace
                        + "'")
                .size())
        .isEqualTo(3);
    assertThat(audit()).contains("captures.expired");
  }

  @Test
  void moreThanAChunkIsErasedInOneRun() {
    UUID last = UUID.randomUUID();
    List<JsonObject> lines =
        Stream.generate(() -> Service.capture(workspace))
            .limit(250)
            .map(capture -> capture.put("id", UUID.randomUUID().toString()))
            .toList();
    HttpResponse<String> imported =
        Service.send(
            HttpRequest.newBuilder(URI.create(service.internalUrl("/internal/v1/captures")))
                .header("authorization", "Bearer " + Service.TOKEN)
                .header("content-type", "application/x-ndjson")
                .POST(
                    BodyPublishers.ofString(
                        String.join("\n", lines.stream().map(JsonObject::encode).toList()))));
    assertThat(imported.statusCode()).as(imported.body()).isEqualTo(200);
    await().until(() -> head() == 250);
    service.put(last, Service.capture(workspace));
    await().until(() -> head() == 251);
    age("position <= 250", 40);

    eraseOlder(Duration.ofDays(30));

    assertThat(pulled()).containsExactly(last);
    assertThat(service.query("select 1 from erased_spans where workspace_id = '" + workspace + "'"))
        .hasSize(1);
  }

  /** The database's clock was behind when the second one entered, and was set right. */
  @Test
  void nothingIsErasedBeforeItsTimeBecauseALaterCaptureIsDatedEarlier() {
    List<UUID> ids = service.enter(workspace, 2);
    age("position = 2", 40);

    eraseOlder(Duration.ofDays(30));

    assertThat(pulled()).containsExactly(ids.get(0));
  }

  @Test
  void capturesThatWereNeverInTheStreamExpireToo() {
    UUID silent = UUID.randomUUID();
    service.put(silent, Service.capture(workspace).put("segments", new JsonArray()));
    service.query(
        "update captures set created_at = now() - interval '40 days' where id = '" + silent + "'");

    eraseOlder(Duration.ofDays(30));

    assertThat(service.put(silent, Service.capture(workspace)).statusCode()).isEqualTo(410);
    assertThat(erasures()).isEmpty();
  }

  @Test
  void nothingOfAWorkspaceOnLegalHoldIsErased() {
    List<UUID> ids = enterOf(2, 40);
    UUID member = UUID.randomUUID();
    change("{\"retention\":\"30d\",\"legal_hold\":true}");

    eraseOlder(Duration.ofDays(1));
    HttpResponse<String> refused =
        service.internal(
            "DELETE", "/internal/v1/captures/" + ids.get(0), "{\"reason\":\"on hold\"}");

    assertThat(refused.statusCode()).isEqualTo(409);
    assertThat(refused.body()).contains("legal hold");
    assertThat(
            service
                .internal(
                    "DELETE",
                    "/internal/v1/workspaces/%s/members/%s".formatted(workspace, member),
                    "")
                .statusCode())
        .isEqualTo(409);
    assertThat(pulled()).isEqualTo(ids);

    change("{\"legal_hold\":false}");
    eraseOlder(null);
    assertThat(pulled()).isEqualTo(ids.subList(2, 4));
  }

  /** As a lock that somebody holds does. */
  @Test
  void aWorkspaceThatCannotBeErasedDoesNotHoldUpTheOthers() {
    enterOf(1, 40);
    change("{\"retention\":\"30d\"}");
    UUID stuck = workspace;
    service.query(
        """
        create function refuse_erasure() returns trigger language plpgsql as $$
        begin
          raise exception 'stuck';
        end
        $$;
        create trigger stuck before insert on erasures for each row
          when (new.workspace_id = '%s') execute function refuse_erasure()
        """
            .formatted(stuck));
    List<UUID> others = new ArrayList<>();
    for (int i = 0; i < 4; i++) {
      freshWorkspace();
      enterOf(1, 40);
      change("{\"retention\":\"30d\"}");
      others.add(workspace);
    }
    try {
      assertThatThrownBy(() -> eraseOlder(null)).hasMessageContaining("stuck");
      assertThat(others).allSatisfy(each -> assertThat(erased(each)).isEqualTo(1));
    } finally {
      service.query("drop trigger stuck on erasures; drop function refuse_erasure()");
    }
    eraseOlder(null);
    assertThat(erased(stuck)).isEqualTo(1);
  }

  /** A process that was killed after the commit, say. */
  @Test
  void answersOfReceiversAreForgottenByTheNextRunIfOneIsInterrupted() {
    new LogMaintenance(service.database, WrittenOutcomes.DAYS).run();
    WrittenOutcomes written = new WrittenOutcomes(service, workspace);
    UUID endpoint = written.endpoint();
    List<UUID> ids = service.enter(workspace, 2);
    written.write(endpoint, 0, 2, DeliveryState.DELIVERED);
    service.query("update attempts set answer = 'the title', response_headers = 'x-title: it'");

    service.query("select erase_capture('%s', null, 'interrupted')".formatted(ids.get(0)));
    eraseOlder(null);

    assertThat(answered(endpoint, ids.get(0))).isFalse();
    assertThat(answered(endpoint, ids.get(1))).isTrue();
    service.internal(
        "DELETE", "/internal/v1/captures/" + ids.get(1), "{\"reason\":\"uninterrupted\"}");
    assertThat(answered(endpoint, ids.get(1))).isFalse();
    assertThat(service.query("select from answers_to_forget").size()).isZero();
  }

  private static boolean answered(UUID endpoint, UUID capture) {
    return service
            .query(
                """
                select from attempts where delivery_id = '%s'
                  and (answer is not null or response_headers is not null)
                """
                    .formatted(DeliveryId.of(endpoint, capture)))
            .size()
        > 0;
  }

  private static long erased(UUID workspace) {
    return service.query("select from erasures where workspace_id = '" + workspace + "'").size();
  }

  @Test
  void aWorkspacesOwnRetentionComesBeforeThatOfTheService() {
    List<UUID> ids = enterOf(1, 40);
    change("{\"retention\":\"50d\"}");

    eraseOlder(Duration.ofDays(30));
    assertThat(pulled()).isEqualTo(ids);

    assertThat(change("{\"retention\":null}").getValue("retention")).isNull();
    eraseOlder(Duration.ofDays(30));
    assertThat(pulled()).isEqualTo(ids.subList(1, 2));
  }

  @Test
  void showsAndRefuses() {
    assertThat(change("{\"retention\":\"400d\"}"))
        .isEqualTo(
            new JsonObject()
                .put("id", workspace.toString())
                .put("name", null)
                .put("retention", "9600h")
                .put("effective_retention", "9600h")
                .put("legal_hold", false)
                .put("max_endpoints", 100)
                .put("max_keys", 100)
                .put("captures", 0)
                .put("erased", 0)
                .putNull("ended_at")
                .putNull("emptied_at"));
    assertThat(new JsonObject(service.internal("GET", path(), "").body()).getString("retention"))
        .isEqualTo("9600h");
    for (String body : List.of("{}", "{\"retention\":\"1s\"}", "{\"legal_hold\":\"yes\"}")) {
      assertThat(service.internal("PATCH", path(), body).statusCode()).as(body).isEqualTo(400);
    }
  }

  /** Captures that entered the stream {@code days} ago, and as many that did now. */
  private List<UUID> enterOf(int each, int days) {
    List<UUID> ids = service.enter(workspace, 2 * each);
    age("position <= " + each, days);
    return ids;
  }

  private void age(String which, int days) {
    service.query("alter table stream disable trigger stream_is_insert_only");
    service.query(
        "update stream set entered_at = entered_at - interval '%d days' where workspace_id = '%s' and %s"
            .formatted(days, workspace, which));
    service.query("alter table stream enable trigger stream_is_insert_only");
  }

  private static void eraseOlder(@Nullable Duration standard) {
    new BackgroundErasure(service.database, standard).run();
  }

  private JsonObject change(String body) {
    HttpResponse<String> answer = service.internal("PATCH", path(), body);
    assertThat(answer.statusCode()).as(answer.body()).isEqualTo(200);
    return new JsonObject(answer.body());
  }

  private String path() {
    return "/internal/v1/workspaces/" + workspace;
  }

  private List<UUID> pulled() {
    return ids("/api/v1/captures?limit=100", "captures");
  }

  private List<UUID> erasures() {
    return ids("/api/v1/changes?limit=100", "changes");
  }

  private List<UUID> ids(String path, String field) {
    return new JsonObject(service.pull(path, key).body())
        .getJsonArray(field).stream()
            .map(each -> UUID.fromString(((JsonObject) each).getString("id")))
            .toList();
  }

  private String audit() {
    return service.internal("GET", path() + "/audit", "").body();
  }

  private long head() {
    return service
        .query("select stream_head from workspaces where id = '" + workspace + "'")
        .iterator()
        .next()
        .getLong(0);
  }
}
