package io.egress.api.background;

import io.egress.platform.database.BackgroundIndexes;
import io.egress.platform.database.Rows;
import io.vertx.sqlclient.Pool;
import java.time.Duration;

/**
 * Records what captures were that entered the stream before releases recorded it, in order of
 * workspaces and positions, once the indexes are there that keys with filters need. One process
 * works at a time, and another continues where it stopped.
 */
final class TraitFilling {
  private static final int CHUNK_MAX = 1_000;

  /** Each chunk is a transaction of some 20 ms. */
  private static final int CHUNKS_MAX = 20;

  /** Once nothing was left, little can come: from calls that began before an update. */
  private static final Duration REST = Duration.ofSeconds(30);

  private static final String FILL = "select fill_traits($1)";

  private final Pool pool;
  private long restingUntilNanos = System.nanoTime();

  TraitFilling(Pool pool) {
    this.pool = pool;
  }

  void run() {
    if (System.nanoTime() - restingUntilNanos < 0 || !BackgroundIndexes.areMade(pool)) {
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
}
