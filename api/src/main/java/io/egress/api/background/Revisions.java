package io.egress.api.background;

import io.vertx.core.Future;
import io.vertx.sqlclient.Pool;
import io.vertx.sqlclient.Tuple;

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

  /** Completes when no rename is left that no other process is working on. */
  Future<Void> reviseAll() {
    return pool.preparedQuery(REVISE)
        .execute(Tuple.of(CHUNK_CAPTURES_MAX))
        .compose(
            rows -> rows.iterator().next().getBoolean(0) ? reviseAll() : Future.succeededFuture());
  }
}
