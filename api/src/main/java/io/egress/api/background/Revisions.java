package io.egress.api.background;

import io.egress.platform.database.Rows;
import io.vertx.sqlclient.Pool;

/**
 * Raises the revision of the captures that show a renamed device or member, a bounded number per
 * transaction. Until then their documents count as stale (see the view {@code current_documents}),
 * so a rename is visible immediately, however many captures it affects. If a process dies halfway,
 * another one continues.
 */
final class Revisions {
  private static final int CHUNK_CAPTURES_MAX = 500;

  private static final String REVISE = "select revise_renamed($1)";

  private final Pool pool;

  Revisions(Pool pool) {
    this.pool = pool;
  }

  /** Returns when no rename is left that no other process is working on. */
  void reviseAll() {
    boolean more;
    do {
      more = Rows.of(pool, REVISE, CHUNK_CAPTURES_MAX).iterator().next().getBoolean(0);
    } while (more);
  }
}
