package io.egress.api.admin.keys;

import static java.util.Objects.requireNonNull;
import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.egress.api.Service;
import io.egress.platform.database.Rows;
import io.vertx.core.json.JsonArray;
import io.vertx.core.json.JsonObject;
import io.vertx.sqlclient.SqlConnection;
import java.net.http.HttpResponse;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.UUID;
import java.util.concurrent.CompletableFuture;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/** The captures that an earlier release has stored are prepared for keys with filters. */
class TraitFillingTest {
  private final UUID workspace = UUID.randomUUID();
  private final Service service = Service.start();

  @AfterEach
  void stop() {
    service.close();
  }

  @Test
  void aKeyIsRefusedUntilEverythingIsPrepared() {
    List<UUID> ids = service.enter(workspace, 30);
    service.put(ids.get(3), Service.capture(workspace).put("title", "Corrected"));
    // The filling waits for the indexes, and these for older transactions.
    SqlConnection older = older("select 1");
    asStoredByAnEarlierRelease();
    String path = "/internal/v1/workspaces/" + workspace + "/api-keys";
    JsonObject limited =
        new JsonObject()
            .put("name", "limited")
            .put("filter", new JsonObject().put("modes", new JsonArray().add("ambient")));

    assertThat(service.internal("POST", path, limited).statusCode()).isEqualTo(409);
    assertThat(requireNonNull(filling()).getLong("done")).isZero();
    end(older);
    HttpResponse<String> minted;
    try (Service started = service.twin()) {
      minted =
          await()
              .until(
                  () -> started.internal("POST", path, limited),
                  answer -> answer.statusCode() == 201);
    }
    String key = new JsonObject(minted.body()).getString("key");
    assertThat(captures(key)).hasSize(30);
    assertThat(service.pull("/api/v1/changes", key).body()).contains(ids.get(3).toString());
    assertThat(filling()).isNull();
    assertThat(valid()).isEqualTo(4);
  }

  /** As beside a backup. It would be begun again and again if its connection had a time limit. */
  @Test
  void anIndexWaitsForOlderTransactions() {
    service.query("drop index stream_by_device");
    service.query("update trait_filling set complete = false");
    SqlConnection older = older("select from stream");
    try (Service started = service.twin(Map.of("lock", "1s", "statement", "2s"))) {
      await().until(() -> !oid().isEmpty());
      List<String> begun = oid();

      await().during(Duration.ofSeconds(4)).until(() -> oid().equals(begun));

      end(older);
      await().until(() -> valid() == 4);
      assertThat(oid()).isEqualTo(begun);
      assertThat(started).isNotNull();
    }
  }

  private SqlConnection older(String reading) {
    SqlConnection older = Service.await(service.database.getConnection());
    Service.await(older.query("begin isolation level repeatable read").execute());
    Service.await(older.query(reading).execute());
    return older;
  }

  private static void end(SqlConnection older) {
    Service.await(older.query("rollback").execute());
    Service.await(older.close());
  }

  private List<String> oid() {
    return Rows.list(
        service.query("select oid::text from pg_class where relname = 'stream_by_device'"),
        row -> row.getString(0));
  }

  private long valid() {
    return service
        .query(
            "select from trait_indexes() t join pg_index i on i.indexrelid = to_regclass(t.name)"
                + " where i.indisvalid")
        .size();
  }

  /** An erasure at the same time, in either order. */
  @Test
  void aChangeDuringTheFillingHasItsMode() {
    List<UUID> ids = service.enter(workspace, 2);
    service.query("update stream set mode = null, device_id = null");
    service.query("update trait_filling set complete = false, position = 0, filled = 0");
    SqlConnection first = Service.await(service.database.getConnection());

    Service.await(first.query("begin; select fill_traits(100)").execute());
    CompletableFuture<?> erasure =
        inBackground("select erase_capture('%s', null, 'r')", ids.get(0));
    await().until(() -> erasure.isDone() || waiting() > 0);
    Service.await(first.query("commit").execute());
    erasure.join();

    service.query("update stream set mode = null, device_id = null");
    service.query(
        "update trait_filling set complete = false, workspace_id = '%s', position = 0"
            .formatted(new UUID(0, 0)));
    Service.await(
        first
            .query("begin; select erase_capture('%s', null, 'r')".formatted(ids.get(1)))
            .execute());
    CompletableFuture<?> filling = inBackground("select fill_traits(%s)", 100);
    await().until(() -> filling.isDone() || waiting() > 0);
    Service.await(first.query("commit").execute());
    filling.join();
    Service.await(first.close());

    assertThat(service.query("select from changes where mode is not null").size()).isEqualTo(2);
    assertThat(service.query("select from stream where mode is null").size()).isZero();
  }

  /** A call of an earlier release that had begun before the columns were there. */
  @Test
  @Tag("full")
  void whatIsEnteredWithoutAModeAfterwardsIsFilledToo() {
    List<UUID> ids = service.enter(workspace, 3);
    service.put(ids.get(0), Service.capture(workspace).put("title", "Corrected"));
    service.put(ids.get(2), Service.capture(workspace).put("title", "Corrected"));
    service.query("update stream set mode = null, device_id = null where position > 1");
    service.query("update changes set mode = null, device_id = null");

    await().until(() -> service.query("select from stream where mode is null").size() == 0);
    await().until(() -> service.query("select from changes where mode is null").size() == 0);
  }

  private CompletableFuture<?> inBackground(String sql, Object argument) {
    return service
        .database
        .query(sql.formatted(argument))
        .execute()
        .toCompletionStage()
        .toCompletableFuture();
  }

  private int waiting() {
    return service
        .query(
            """
            select from pg_stat_activity
            where datname = current_database() and wait_event_type = 'Lock'
            """)
        .size();
  }

  private @Nullable JsonObject filling() {
    return new JsonObject(service.internal("GET", "/internal/v1/database", "").body())
        .getJsonObject("filling");
  }

  private JsonArray captures(String key) {
    return new JsonObject(service.pull("/api/v1/captures", key).body()).getJsonArray("captures");
  }

  private void asStoredByAnEarlierRelease() {
    service.query("drop index stream_by_device, changes_by_mode");
    service.query(
        "update pg_index set indisvalid = false where indexrelid = 'stream_by_mode'::regclass");
    service.query("update stream set mode = null, device_id = null");
    service.query("update changes set mode = null, device_id = null");
    service.query("update trait_filling set complete = false, position = 0, filled = 0");
  }
}
