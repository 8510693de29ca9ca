package io.egress.api.sweep;

import static java.util.Objects.requireNonNull;

import io.egress.platform.lifecycle.Periodic;
import io.egress.platform.metrics.Metrics;
import io.vertx.core.Future;
import io.vertx.core.Vertx;
import io.vertx.sqlclient.Pool;
import io.vertx.sqlclient.Row;
import java.time.Duration;
import java.util.function.ToDoubleFunction;

/** Periodically measures the backlog in the database; every api process computes the same. */
public final class StreamBacklog {
  private static final Duration PERIOD = Duration.ofSeconds(5);

  /** Counting further would be too expensive. */
  private static final int COUNTED_MAX = 100_000;

  private static final String LOOK =
      """
      select
        (select count(*) from (select 1 from stream_inbox order by sequence limit %1$d) as i) as unswept,
        (select extract(epoch from now() - finished_at) from stream_inbox
          order by sequence limit 1)::float8 as unswept_age,
        (select count(*) from (select 1 from outbox order by sequence limit %1$d) as o) as unpublished,
        (select extract(epoch from now() - entered_at) from outbox
          order by sequence limit 1)::float8 as unpublished_age
      """
          .formatted(COUNTED_MAX);

  private record Seen(
      double unswept, double unsweptAge, double unpublished, double unpublishedAge) {
    static final Seen NOTHING = new Seen(Double.NaN, Double.NaN, Double.NaN, Double.NaN);

    static Seen of(Row row) {
      return new Seen(
          row.getLong("unswept"),
          age(row, "unswept_age"),
          row.getLong("unpublished"),
          age(row, "unpublished_age"));
    }

    private static double age(Row row, String column) {
      Double seconds = row.getDouble(column);
      return seconds == null ? 0 : Math.max(0, seconds);
    }
  }

  private final Pool pool;
  private final Periodic looking;
  private volatile Seen seen = Seen.NOTHING;

  public StreamBacklog(Vertx vertx, Pool pool, Metrics metrics) {
    this.pool = pool;
    requireNonNull(metrics, "metrics is null");
    gauge(
        metrics,
        "egress_sweep_waiting",
        "finished captures that are not in the stream, counted up to " + COUNTED_MAX,
        Seen::unswept);
    gauge(
        metrics,
        "egress_sweep_lag_seconds",
        "age of the oldest finished capture that is not in the stream",
        Seen::unsweptAge);
    gauge(
        metrics,
        "egress_outbox_waiting",
        "captures in the stream that are not published to Kafka, counted up to " + COUNTED_MAX,
        Seen::unpublished);
    gauge(
        metrics,
        "egress_outbox_oldest_seconds",
        "age of the oldest capture in the stream that is not published to Kafka",
        Seen::unpublishedAge);
    this.looking = Periodic.nowAndEvery(vertx, PERIOD, this::look);
  }

  public void close() {
    looking.close();
  }

  private Future<Seen> look() {
    return pool.query(LOOK)
        .execute()
        .map(rows -> Seen.of(rows.iterator().next()))
        .otherwise(Seen.NOTHING)
        .onSuccess(now -> seen = now);
  }

  private void gauge(Metrics metrics, String name, String meaning, ToDoubleFunction<Seen> value) {
    metrics.gauge(name, meaning, () -> value.applyAsDouble(seen));
  }
}
