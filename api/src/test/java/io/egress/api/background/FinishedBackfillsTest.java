package io.egress.api.background;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.egress.api.Service;
import io.egress.api.admin.deliveries.WrittenOutcomes;
import io.vertx.core.json.JsonArray;
import io.vertx.core.json.JsonObject;
import java.time.Duration;
import java.util.List;
import java.util.UUID;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

/** What is finished for longer than the delivery log is kept ends, and nothing misses it. */
class FinishedBackfillsTest {
  private final UUID workspace = UUID.randomUUID();
  private final String path = "/internal/v1/workspaces/" + workspace;
  private final Service service = Service.start();

  @AfterEach
  void stop() {
    service.close();
  }

  @Test
  void areDeletedOnceNoDeliveryOfTheirsCanBeInTheLog() {
    List<UUID> ids = service.enter(workspace, 3);
    UUID endpoint = new WrittenOutcomes(service, workspace).endpoint();
    for (String origin : List.of("update", "erasure", "replay", "redelivery", "backfill")) {
      add(endpoint, origin, "now() - interval '40 days'");
      add(endpoint, origin, "now() - interval '30 days'");
      add(endpoint, origin, "null");
    }

    run();

    assertThat(
            service
                .query(
                    """
                    select from backfills
                    where finished_at < now() - interval '35 days' and origin <> 'backfill'
                    """)
                .size())
        .isZero();
    assertThat(service.query("select from backfills").size()).isEqualTo(11);
    assertThat(copies(ids.get(1))).as("a replay may have sent it").contains(endpoint.toString());
    service.query("delete from backfills where origin <> 'backfill'");
    assertThat(copies(ids.get(1))).contains(endpoint.toString());
    assertThat(copies(ids.get(2))).doesNotContain(endpoint.toString());
  }

  @Test
  void aListGoesOnAfterOneThatWasDeletedMeanwhile() {
    service.enter(workspace, 3);
    UUID endpoint = new WrittenOutcomes(service, workspace).endpoint();
    for (int i = 0; i < 5; i++) {
      add(endpoint, "replay", "null");
    }
    service.query("update backfills set created_at = now() - interval '41 days'");
    JsonObject whole = replays(endpoint, "limit=100");
    JsonObject first = replays(endpoint, "limit=2");
    String second = whole.getJsonArray("replays").getJsonObject(1).getString("id");
    service.query(
        "update backfills set finished_at = now() - interval '40 days' where id = '%s'"
            .formatted(second));
    String after = first.getJsonObject("pageInfo").getString("endCursor");

    run();

    assertThat(service.query("select from backfills").size()).isEqualTo(4);
    assertThat(replays(endpoint, "limit=100&after=" + after).getJsonArray("replays"))
        .hasSize(3)
        .isEqualTo(
            whole.getJsonArray("replays").stream()
                .skip(2)
                .collect(JsonArray::new, JsonArray::add, JsonArray::addAll));
  }

  @Test
  void aListOfReplaysReadsNoUpdates() {
    service.enter(workspace, 3);
    UUID endpoint = new WrittenOutcomes(service, workspace).endpoint();
    for (int i = 0; i < 3; i++) {
      add(endpoint, "replay", "now()");
    }
    service.query(
        """
        insert into backfills (id, endpoint_id, origin, first_position, next_position, last_position, finished_at)
        select gen_random_uuid(), '%s', 'update', 1, 2, 1, now() from generate_series(1, 20000);
        analyze backfills
        """
            .formatted(endpoint));
    long before = backfillsRead();

    // Its connections count at the latest when they end.
    try (Service read = service.twin()) {
      assertThat(
              new JsonObject(
                      read.internal("GET", path + "/endpoints/" + endpoint + "/replays", "").body())
                  .getJsonArray("replays"))
          .hasSize(3);
    }

    await().until(() -> backfillsRead() > before);
    assertThat(backfillsRead() - before).isLessThan(1_000);
  }

  private long backfillsRead() {
    return service
        .query(
            "select seq_tup_read + idx_tup_fetch from pg_stat_user_tables where relname = 'backfills'")
        .iterator()
        .next()
        .getLong(0);
  }

  /** Mid-list, during the update. */
  @Test
  void acceptsTheCursorsOfEarlierReleases() {
    service.enter(workspace, 3);
    UUID endpoint = new WrittenOutcomes(service, workspace).endpoint();
    for (int i = 0; i < 5; i++) {
      add(endpoint, "replay", "null");
    }
    String second =
        replays(endpoint, "limit=2").getJsonArray("replays").getJsonObject(1).getString("id");

    assertThat(replays(endpoint, "after=" + second).getJsonArray("replays")).hasSize(3);
  }

  @Test
  void thoseOfDeletedEndpointsAreFinished() {
    service.enter(workspace, 3);
    UUID endpoint = new WrittenOutcomes(service, workspace).endpoint();
    UUID other = new WrittenOutcomes(service, workspace).endpoint();
    for (int i = 0; i < 3; i++) {
      add(endpoint, "update", "null");
      add(other, "update", "null");
    }
    service.internal("DELETE", path + "/endpoints/" + endpoint, "");
    service.query(
        "insert into erasure_backfills (endpoint_id, next_number, last_number) values ('%s', 1, 2)"
            .formatted(endpoint));

    run();

    assertThat(service.query("select from erasure_backfills").size()).isZero();

    assertThat(
            service.query("select distinct endpoint_id from backfills where finished_at is null"))
        .extracting(row -> row.getUUID(0))
        .containsExactly(other);
  }

  private void run() {
    new FinishedBackfills(service.database, Duration.ofDays(30)).run();
  }

  private void add(UUID endpoint, String origin, String finishedAt) {
    service.query(
        """
        insert into backfills (id, endpoint_id, origin, first_position, next_position, last_position, finished_at)
        values (gen_random_uuid(), '%s', '%s', 1, 1, 2, %s)
        """
            .formatted(endpoint, origin, finishedAt));
  }

  private JsonObject replays(UUID endpoint, String query) {
    return new JsonObject(
        service.internal("GET", path + "/endpoints/" + endpoint + "/replays?" + query, "").body());
  }

  private String copies(UUID capture) {
    return service.internal("GET", "/internal/v1/captures/" + capture + "/copies", "").body();
  }
}
