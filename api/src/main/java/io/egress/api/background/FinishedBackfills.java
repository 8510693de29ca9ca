package io.egress.api.background;

import io.egress.webhook.backfill.Backfills;
import io.vertx.sqlclient.Pool;
import java.time.Duration;

/**
 * Deletes backfills when no delivery of theirs can be in the delivery log anymore. Full histories
 * stay: an endpoint has one, which its page shows.
 */
final class FinishedBackfills {
  private static final int CHUNK_MAX = 1_000;

  /** Each chunk is a transaction of some 20 ms. */
  private static final int CHUNKS_MAX = 20;

  /** The log drops whole days. */
  private static final Duration MARGIN = Duration.ofDays(2);

  private final Pool pool;
  private final Duration kept;

  /** {@code logRetention} is how long the delivery log is kept. */
  FinishedBackfills(Pool pool, Duration logRetention) {
    this.pool = pool;
    this.kept = logRetention.plus(MARGIN);
  }

  void run() {
    if (!Backfills.areIndexed(pool)) {
      return;
    }
    for (int chunk = 0; chunk < CHUNKS_MAX; chunk++) {
      int finished = Backfills.finishOfDeletedEndpoints(pool, CHUNK_MAX);
      int deleted = Backfills.deleteFinished(pool, kept, CHUNK_MAX);
      if (finished < CHUNK_MAX && deleted < CHUNK_MAX) {
        return;
      }
    }
  }
}
