package io.egress.api.background;

import io.egress.platform.database.Rows;
import io.vertx.sqlclient.Pool;

/**
 * Records what captures were that entered the stream before releases recorded it, in order of
 * workspaces and positions. One process works at a time, and another continues where it stopped.
 */
final class TraitFilling {
  private static final int CHUNK_MAX = 1_000;

  /** Each chunk is a transaction of some 20 ms. */
  private static final int CHUNKS_MAX = 20;

  private static final String FILL = "select fill_traits($1)";

  private final Pool pool;
  private boolean complete;

  TraitFilling(Pool pool) {
    this.pool = pool;
  }

  void run() {
    for (int chunk = 0; chunk < CHUNKS_MAX && !complete; chunk++) {
      if (!Rows.of(pool, FILL, CHUNK_MAX).iterator().next().getBoolean(0)) {
        complete = Rows.of(pool, "select from trait_filling where complete").size() > 0;
        return;
      }
    }
  }
}
