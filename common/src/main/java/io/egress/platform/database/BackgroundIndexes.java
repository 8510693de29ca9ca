package io.egress.platform.database;

import io.vertx.sqlclient.Pool;
import io.vertx.sqlclient.Row;
import io.vertx.sqlclient.RowSet;
import java.sql.SQLException;

/**
 * The indexes that were added to tables that may be large, as {@code background_indexes()} in the
 * database lists them. One process makes them at a time.
 */
public final class BackgroundIndexes {
  /** Those that are missing, or left unusable by a process that was stopped while it made them. */
  private static final String MISSING =
      """
      select t.name, t.definition, i.indexrelid is not null as is_broken
      from background_indexes() t left join pg_index i on i.indexrelid = to_regclass(t.name)
      where i.indisvalid is not true
      """;

  private static final String IN_PROGRESS =
      """
      select from pg_stat_progress_create_index p join pg_class c on c.oid = p.relid
      where p.datname = current_database() and c.relnamespace = current_schema()::regnamespace
      """;

  private final Pool pool;
  private final IndexBuilder builder;

  BackgroundIndexes(Pool pool, IndexBuilder builder) {
    this.pool = pool;
    this.builder = builder;
  }

  /** Whether all can be used. Blocks. */
  public static boolean areMade(Pool pool) {
    return missing(pool).size() == 0;
  }

  private static RowSet<Row> missing(Pool pool) {
    return Rows.of(pool, MISSING);
  }

  /** Makes those that are missing, which takes minutes if there are many rows. */
  void make() throws SQLException {
    for (Row each : missing(pool)) {
      if (Rows.of(pool, IN_PROGRESS).size() > 0) {
        return;
      }
      builder.make(
          each.getString("name"), each.getString("definition"), each.getBoolean("is_broken"));
    }
  }
}
