package io.egress.api.background;

import io.egress.platform.database.IndexBuilder;
import io.egress.platform.database.Rows;
import io.vertx.sqlclient.Pool;
import io.vertx.sqlclient.Row;
import java.sql.SQLException;
import java.time.Duration;

/**
 * Records what captures were that entered the stream before releases recorded it, in order of
 * workspaces and positions, after the indexes that keys with filters need; and makes the other
 * indexes that were added to tables that may be large. One process works at a time, and another
 * continues where it stopped.
 */
final class TraitFilling {
  private static final int CHUNK_MAX = 1_000;

  /** Each chunk is a transaction of some 20 ms. */
  private static final int CHUNKS_MAX = 20;

  /** Once nothing was left, little can come: from calls that began before an update. */
  private static final Duration REST = Duration.ofSeconds(30);

  /** Those that are missing, or left unusable by a process that was stopped while it made them. */
  private static final String MISSING =
      """
      select t.name, t.definition, i.indexrelid is not null as is_broken
      from background_indexes() t left join pg_index i on i.indexrelid = to_regclass(t.name)
      where i.indisvalid is not true
      """;

  private static final String IN_PROGRESS =
      """
      select from pg_stat_progress_create_index
      where datname = current_database() and relid in ('stream'::regclass, 'changes'::regclass, 'backfills'::regclass)
      """;

  private static final String FILL = "select fill_traits($1)";

  private final Pool pool;
  private final IndexBuilder indexes;
  private long restingUntilNanos = System.nanoTime();

  TraitFilling(Pool pool, IndexBuilder indexes) {
    this.pool = pool;
    this.indexes = indexes;
  }

  void run() throws SQLException {
    if (System.nanoTime() - restingUntilNanos < 0 || !hasIndexes()) {
      return;
    }
    for (int chunk = 0; chunk < CHUNKS_MAX && fill(); chunk++) {}
  }

  /** Returns false if nothing was left. */
  private boolean fill() {
    boolean more = Rows.of(pool, FILL, CHUNK_MAX).iterator().next().getBoolean(0);
    if (!more) {
      restingUntilNanos = System.nanoTime() + REST.toNanos();
    }
    return more;
  }

  /** Makes them, which takes minutes if there are many captures. */
  private boolean hasIndexes() throws SQLException {
    for (Row missing : Rows.of(pool, MISSING)) {
      if (Rows.of(pool, IN_PROGRESS).size() > 0) {
        return false;
      }
      indexes.make(
          missing.getString("name"),
          missing.getString("definition"),
          missing.getBoolean("is_broken"));
    }
    return true;
  }
}
