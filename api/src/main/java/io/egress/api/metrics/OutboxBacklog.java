package io.egress.api.metrics;

import io.egress.platform.database.Rows;
import io.egress.platform.lifecycle.Recurring;
import io.egress.platform.metrics.Metrics;
import io.vertx.core.Vertx;
import io.vertx.sqlclient.Pool;
import io.vertx.sqlclient.Row;
import java.time.Duration;

/** Periodically measures what is not published yet; every api process computes the same. */
public final class OutboxBacklog {
  private static final Duration PERIOD = Duration.ofSeconds(5);

  /** Counting further would be too expensive. */
  private static final int COUNTED_MAX = 100_000;

  private static final String LOOK =
      """
      select
        (select count(*) from (select 1 from outbox order by sequence limit %d) as o) as waiting,
        (select extract(epoch from now() - entered_at) from outbox order by sequence limit 1)::float8 as age
      """
          .formatted(COUNTED_MAX);

  private final Pool pool;
  private final Recurring looking;
  private volatile double waiting = Double.NaN;
  private volatile double oldestSeconds = Double.NaN;

  public OutboxBacklog(Vertx vertx, Pool pool, Metrics metrics) {
    this.pool = pool;
    metrics.gauge(
        "egress_outbox_waiting",
        "captures in the stream that are not published to Kafka, counted up to " + COUNTED_MAX,
        () -> waiting);
    metrics.gauge(
        "egress_outbox_oldest_seconds",
        "age of the oldest capture in the stream that is not published to Kafka",
        () -> oldestSeconds);
    this.looking =
        new Recurring(vertx, "measuring the outbox", this::look)
            .onFailure(_ -> report(Double.NaN, Double.NaN))
            .nowAndEvery(PERIOD);
  }

  public void close() {
    looking.close();
  }

  private void look() {
    Row row = Rows.of(pool, LOOK).iterator().next();
    Double age = row.getDouble("age");
    report(row.getLong("waiting"), age == null ? 0 : Math.max(0, age));
  }

  private void report(double records, double seconds) {
    waiting = records;
    oldestSeconds = seconds;
  }
}
