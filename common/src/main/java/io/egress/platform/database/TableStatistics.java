package io.egress.platform.database;

import io.egress.platform.lifecycle.Recurring;
import io.egress.platform.outage.Outage;
import io.vertx.core.Vertx;
import io.vertx.sqlclient.Pool;
import java.time.Duration;
import java.util.List;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Analyzes tables that have outgrown their statistics. PostgreSQL caches plans per connection, also
 * those of foreign keys and functions, and a plan made for an almost empty table scans it. ANALYZE
 * invalidates the plans of all connections. Autovacuum runs once a minute; until then a new table,
 * such as a day's partition of the delivery log, may have grown to a hundred thousand rows.
 *
 * <p>The page count shows growth immediately. The row count is also needed: rows of a long
 * transaction that was not committed during the last ANALYZE were not counted, while their pages
 * were. Plans for tables beyond the settled sizes use indexes, and autovacuum is soon enough.
 */
final class TableStatistics {
  private static final Logger log = LoggerFactory.getLogger(TableStatistics.class);
  private static final Duration PERIOD = Duration.ofSeconds(1);

  /** Below this size, a scan costs no more than an index. */
  private static final int SMALL_PAGES = 8;

  private static final int SMALL_ROWS = 1_000;
  private static final int SETTLED_PAGES = 1_000;
  private static final int SETTLED_ROWS = 100_000;

  private static final String OUTGROWN =
      """
      select oid::regclass::text from pg_class
      where relkind = 'r' and relnamespace = current_schema()::regnamespace and pg_has_role(relowner, 'usage')
        and (relpages < %d
            and pg_relation_size(oid) >= 2 * greatest(relpages, %d) * current_setting('block_size')::bigint
          or reltuples < %d
            and pg_stat_get_live_tuples(oid) >= 2 * greatest(reltuples, %d))
      """
          .formatted(SETTLED_PAGES, SMALL_PAGES, SETTLED_ROWS, SMALL_ROWS);

  /** Skips tables that are being analyzed already. */
  private static final String ANALYZE = "analyze (skip_locked) ";

  private final Pool pool;
  private final Recurring looking;

  private TableStatistics(Vertx vertx, Pool pool) {
    this.pool = pool;
    this.looking =
        new Recurring(vertx, "analyzing tables that grow", this::look)
            .reporting(
                new Outage(
                    log,
                    "Cannot analyze tables that grow; retrying",
                    "Tables that grow are analyzed"))
            .every(PERIOD);
  }

  static TableStatistics watch(Vertx vertx, Pool pool) {
    return new TableStatistics(vertx, pool);
  }

  void close() {
    looking.close();
  }

  private void look() {
    List<String> tables = Rows.list(Rows.of(pool, OUTGROWN), row -> row.getString(0));
    if (!tables.isEmpty()) {
      pool.query(ANALYZE + String.join(", ", tables)).execute().await();
    }
  }
}
