package io.egress.platform.database;

import io.egress.platform.lifecycle.Recurring;
import io.vertx.core.Future;
import io.vertx.core.Vertx;
import io.vertx.sqlclient.Pool;
import java.time.Duration;
import org.jspecify.annotations.Nullable;

/**
 * What the role that owns the tables does while the service runs: statistics of tables that grow,
 * and indexes of migrations that take long. Any number of processes may do so.
 */
public final class SchemaUpkeep {
  private static final Duration INDEXES_PERIOD = Duration.ofSeconds(5);

  private final IndexBuilder builder;
  private final TableStatistics statistics;
  private final Recurring indexes;
  private final @Nullable Pool own;

  SchemaUpkeep(Vertx vertx, IndexBuilder builder, Pool pool, boolean isOwn) {
    this.builder = builder;
    this.own = isOwn ? pool : null;
    this.statistics = TableStatistics.watch(vertx, pool);
    this.indexes =
        new Recurring(vertx, "making indexes", new BackgroundIndexes(pool, builder)::make)
            .nowAndEvery(INDEXES_PERIOD);
  }

  /** Completes when nothing is running. */
  public Future<Void> close() {
    statistics.close();
    builder.close();
    return indexes.stop().eventually(() -> own == null ? Future.succeededFuture() : own.close());
  }
}
