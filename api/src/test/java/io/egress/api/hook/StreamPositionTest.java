package io.egress.api.hook;

import static org.assertj.core.api.Assertions.assertThat;

import io.egress.api.Service;
import io.egress.platform.database.Database;
import io.egress.platform.database.Migrations;
import io.egress.settings.Settings;
import io.vertx.core.Vertx;
import io.vertx.sqlclient.Pool;
import java.util.Random;
import java.util.UUID;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/** The position at an instant, against a search through all rows. */
class StreamPositionTest {
  private static final int ROWS_MAX = 70;
  private static final int SECONDS_MAX = 100;
  private static final String DIFFERENCES =
      """
      select count(*) from generate_series(-1, %d) seconds
      where stream_position_before('%2$s', 'epoch'::timestamptz + seconds * interval '1 second')
        <> (select coalesce(max(position), 0) from stream
            where workspace_id = '%2$s' and entered_at < 'epoch'::timestamptz + seconds * interval '1 second')
      """;

  private final Vertx vertx = Vertx.vertx();
  private final Settings settings = Settings.from(Service.freshEnvironment());
  private Pool pool;

  @BeforeEach
  void start() {
    Service.await(Migrations.run(vertx, settings.database().url()));
    pool = Database.pool(vertx, settings.database(), "test", 1);
  }

  @AfterEach
  void stop() {
    Service.await(vertx.close());
  }

  @Test
  void isOfTheNewestCaptureThatEnteredBefore() {
    long seed = new Random().nextLong();
    Random random = new Random(seed);
    for (int round = 0; round < 20; round++) {
      UUID workspace = UUID.randomUUID();
      int rows = round == 0 ? 0 : 1 + random.nextInt(ROWS_MAX);
      query(
          "insert into workspaces (id, stream_head) values ('%s', %d)".formatted(workspace, rows));
      query("insert into devices (workspace_id, id) values ('%1$s', '%1$s')".formatted(workspace));
      int second = 0;
      for (int position = 1; position <= rows; position++) {
        second = Math.min(SECONDS_MAX, second + random.nextInt(4));
        enter(workspace, position, second);
      }

      assertThat(number(DIFFERENCES.formatted(SECONDS_MAX + 2, workspace)))
          .as("seed %d, round %d", seed, round)
          .isZero();
    }
  }

  @Test
  void isZeroForAnUnknownWorkspace() {
    assertThat(number("select stream_position_before('%s', now())".formatted(UUID.randomUUID())))
        .isZero();
  }

  private void enter(UUID workspace, int position, int second) {
    UUID id = UUID.randomUUID();
    query(
        """
        insert into captures (id, workspace_id, device_id, mode, started_at, speakers, members, digest, entered)
        values ('%1$s', '%2$s', '%2$s', 'manual', now(), '{}', '{}', '', true)
        """
            .formatted(id, workspace));
    query(
        """
        insert into stream (workspace_id, position, capture_id, chain, entered_at)
        values ('%s', %d, '%s', 0, 'epoch'::timestamptz + %d * interval '1 second')
        """
            .formatted(workspace, position, id, second));
  }

  private long number(String sql) {
    return Service.await(pool.query(sql).execute()).iterator().next().getLong(0);
  }

  private void query(String sql) {
    Service.await(pool.query(sql).execute());
  }
}
