package io.egress.dispatcher.backfill;

import static io.egress.dispatcher.backfill.BackfillWorld.await;
import static io.egress.dispatcher.backfill.BackfillWorld.until;
import static org.assertj.core.api.Assertions.assertThat;

import io.egress.webhook.backfill.OpenBackfills;
import io.egress.webhook.backfill.OpenBackfills.Open;
import io.vertx.core.json.JsonArray;
import io.vertx.core.json.JsonObject;
import io.vertx.sqlclient.SqlConnection;
import java.util.List;
import java.util.UUID;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.parallel.Execution;
import org.junit.jupiter.api.parallel.ExecutionMode;

/** What waits for a paused endpoint costs the others nothing, however much it is. */
@Execution(ExecutionMode.CONCURRENT)
class PausedBackfillsTest {
  private static final int WAITING = 200_000;
  private static final int BUFFERS_MAX = 100;

  private final BackfillWorld world = new BackfillWorld();
  private final UUID workspace = world.workspace(10);
  private final UUID paused = world.endpointWithoutHistory(workspace);

  @AfterEach
  void close() {
    world.close();
  }

  @Test
  @Tag("full")
  void theSearchForOpenBackfillsSkipsThem() {
    wait(paused, WAITING);
    world.pause(paused, true);
    UUID open = world.endpointWithoutHistory(workspace);
    UUID replay = world.replay(open, 1, 10, false);
    UUID deleted = world.endpointWithoutHistory(workspace);
    wait(deleted, 10_000);
    world.delete(workspace, deleted);

    assertThat(await(new OpenBackfills(world.pool).open(Open.BEFORE_ALL, 1_000)))
        .containsExactly(new Open(open, replay, null));
    assertThat(buffers()).isLessThan(BUFFERS_MAX);
    world.workerOfAll(BackfillWorld.unbounded(128));
    until(() -> world.published.to(open).size() == 10);
  }

  /** The index is made in the background where there are many. */
  @Test
  void theSearchFindsTheSameWithoutItsIndex() {
    wait(paused, 30);
    UUID other = world.endpointWithoutHistory(workspace);
    wait(other, 30);
    OpenBackfills backfills = new OpenBackfills(world.pool);
    List<Open> all = await(backfills.open(Open.BEFORE_ALL, 100));
    List<Open> rest = await(backfills.open(all.get(40), 7));
    world.script("drop index backfills_open");

    assertThat(all).hasSize(60);
    assertThat(rest).isEqualTo(all.subList(41, 48));
    assertThat(await(backfills.open(Open.BEFORE_ALL, 100))).isEqualTo(all);
    assertThat(await(backfills.open(all.get(40), 7))).isEqualTo(rest);
  }

  /** Neither waits for what publishes or announces, nor makes it wait. */
  @Test
  void theDeletionOfTheEndpointTouchesNoneOfThem() {
    wait(paused, 1_000);
    SqlConnection publishing = await(world.pool.getConnection());
    await(publishing.query("begin; select from backfills for update").execute());

    world.delete(workspace, paused);

    await(publishing.query("rollback").execute());
    await(publishing.close());
    assertThat(await(new OpenBackfills(world.pool).open(Open.BEFORE_ALL, 10))).isEmpty();
  }

  /** As 1.0.0 entered each erasure. */
  private void wait(UUID endpoint, int count) {
    world.script(
        """
        insert into backfills (id, endpoint_id, origin, first_position, next_position, last_position)
        select gen_random_uuid(), '%s', 'erasure', 1, 1, 1 from generate_series(1, %d)
        """
            .formatted(endpoint, count));
  }

  private long buffers() {
    JsonArray plan =
        (JsonArray)
            await(
                    world
                        .pool
                        .query(
                            "explain (analyze, buffers, format json) select * from open_backfills("
                                + "'00000000-0000-0000-0000-000000000000',"
                                + " '00000000-0000-0000-0000-000000000000', 1000)")
                        .execute())
                .iterator()
                .next()
                .getJson(0);
    JsonObject top = plan.getJsonObject(0).getJsonObject("Plan");
    return top.getLong("Shared Hit Blocks") + top.getLong("Shared Read Blocks");
  }
}
