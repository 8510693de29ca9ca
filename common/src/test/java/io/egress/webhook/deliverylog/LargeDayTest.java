package io.egress.webhook.deliverylog;

import static org.assertj.core.api.Assertions.assertThat;

import io.egress.platform.database.Migrations;
import io.egress.testing.SharedBackends;
import io.vertx.core.Vertx;
import io.vertx.pgclient.PgBuilder;
import io.vertx.pgclient.PgConnectOptions;
import io.vertx.sqlclient.Pool;
import io.vertx.sqlclient.PoolOptions;
import java.time.Clock;
import java.time.Duration;
import java.time.LocalDate;
import java.time.ZoneOffset;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/**
 * How long statements wait while a day with many deliveries ends: printed, since it depends on the
 * machine. {@code -Dlarge-day=30000000} sets how many.
 */
@Tag("long")
class LargeDayTest {
  private static final int ROWS = Integer.getInteger("large-day", 3_000_000);
  private static final int PART = 500_000;

  private static final String WITHOUT_INDEXES =
      """
      do $$
      declare index text;
      begin
        execute 'alter table %1$s drop constraint %1$s_pkey';
        for index in select indexname from pg_indexes where tablename = '%1$s' loop
          execute format('drop index %%I', index);
        end loop;
      end $$
      """;

  private static final String FILL =
      """
      insert into %1$s (day, id, endpoint_id, capture_id, position, origin, state, attempts, owed_at)
      select '%2$s', gen_random_uuid(), md5('endpoint ' || n %% 1000)::uuid, gen_random_uuid(), n, 'live', 'delivered', 1, '%2$s'
      from generate_series(%3$d, %4$d) n
      """;

  private static final String WRITE =
      """
      insert into deliveries (day, id, endpoint_id, capture_id, position, origin, state, attempts, owed_at)
      values ('%1$s', gen_random_uuid(), gen_random_uuid(), gen_random_uuid(), 1, 'live', 'delivered', 1, now())
      """;

  @Test
  @Timeout(value = 1, unit = TimeUnit.HOURS)
  void endsUnnoticed() throws InterruptedException {
    Vertx vertx = Vertx.vertx();
    Pool pool =
        PgBuilder.pool()
            .connectingTo(
                PgConnectOptions.fromUri(SharedBackends.get().freshDatabase(Migrations::run)))
            .with(new PoolOptions().setMaxSize(3))
            .using(vertx)
            .build();
    LogMaintenance maintenance =
        new LogMaintenance(pool, new LogDays(Clock.systemUTC(), Duration.ofDays(3)));
    maintenance.run();
    LocalDate today = LocalDate.now(ZoneOffset.UTC);
    fill(pool, today.minusDays(3));
    run(pool, "analyze");

    long begun = System.nanoTime();
    Thread ending = Thread.ofVirtual().start(() -> maintenance.run(today.plusDays(1)));
    long longest = 0;
    int statements = 0;
    while (ending.isAlive()) {
      for (String statement : new String[] {"select 1 from deliveries limit 1", WRITE}) {
        long asked = System.nanoTime();
        run(pool, statement.formatted(today));
        longest = Math.max(longest, System.nanoTime() - asked);
        statements++;
      }
    }
    ending.join();
    System.out.printf(
        "a day with %,d deliveries ended in %.1f s; the longest of %,d statements beside it took %d ms%n",
        ROWS,
        (System.nanoTime() - begun) / 1e9,
        statements,
        TimeUnit.NANOSECONDS.toMillis(longest));

    assertThat(
            pool.query(
                    "select sum(upper(part) - lower(part)) from receipts, unnest(delivered) as part")
                .execute()
                .await()
                .iterator()
                .next()
                .getLong(0))
        .isEqualTo(ROWS);
    pool.close().await();
    vertx.close().await();
  }

  /** Its indexes are built at the end: row by row they take hours. */
  private static void fill(Pool pool, LocalDate day) {
    String part = LogDays.deliveries(day);
    run(pool, "alter table deliveries detach partition " + part);
    run(pool, WITHOUT_INDEXES.formatted(part));
    for (int from = 1; from <= ROWS; from += PART) {
      run(pool, FILL.formatted(part, day, from, Math.min(ROWS, from + PART - 1)));
    }
    run(
        pool,
        "alter table deliveries attach partition %s for values from ('%s') to ('%s')"
            .formatted(part, day, day.plusDays(1)));
  }

  private static void run(Pool pool, String sql) {
    pool.query(sql).execute().await();
  }
}
