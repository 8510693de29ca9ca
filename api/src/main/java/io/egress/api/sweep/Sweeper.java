package io.egress.api.sweep;

import static java.util.Objects.requireNonNull;

import io.egress.stream.StreamLock;
import io.vertx.core.Future;
import io.vertx.sqlclient.Pool;
import io.vertx.sqlclient.SqlConnection;
import java.util.function.IntConsumer;

/**
 * Moves finished captures from the inbox into the stream and the outbox.
 *
 * <p>The promise of the cursor rests here: positions are given inside a transaction that holds the
 * stream's one advisory lock, and the lock outlives the moment the rows become visible. So they
 * become visible in order, and a reader that has seen position n has seen everything below it.
 */
final class Sweeper {
  static final int BATCH_MAX = 1_000;

  /**
   * Not a prepared statement, so that it is planned each time: the inbox is empty at most times and
   * deep at others, and a plan kept from when it was empty reads and sorts all of it for each
   * batch.
   */
  private static final String MOVE =
      """
      with batch as (
        delete from stream_inbox where sequence in (
          select sequence from stream_inbox order by sequence limit %d)
        returning sequence, capture_id, workspace_id),
      heads as (
        update workspaces w set stream_head = w.stream_head + added.count
        from (select workspace_id, count(*) as count from batch group by workspace_id) as added
        where w.id = added.workspace_id
        returning w.id as workspace_id, w.stream_head - added.count as base),
      entered as (
        insert into stream (workspace_id, position, capture_id)
        select workspace_id,
          base + row_number() over (partition by workspace_id order by sequence),
          capture_id
        from batch join heads using (workspace_id)
        returning workspace_id, position, capture_id, entered_at)
      insert into outbox (workspace_id, position, capture_id, entered_at)
      select workspace_id, position, capture_id, entered_at from entered order by workspace_id, position
      """
          .formatted(BATCH_MAX);

  private final Pool pool;
  private final IntConsumer entered;

  /** {@code entered} is told of each batch how many captures it had. */
  Sweeper(Pool pool, IntConsumer entered) {
    this.pool = requireNonNull(pool, "pool is null");
    this.entered = requireNonNull(entered, "entered is null");
  }

  /** Completes with the number of captures moved, once the inbox was found empty. */
  Future<Integer> sweep() {
    return pool.withTransaction(Sweeper::moveBatch)
        .onSuccess(entered::accept)
        .compose(
            moved ->
                moved < BATCH_MAX
                    ? Future.succeededFuture(moved)
                    : sweep().map(more -> moved + more));
  }

  private static Future<Integer> moveBatch(SqlConnection tx) {
    return StreamLock.take(tx)
        .compose(locked -> tx.query(MOVE).execute())
        .map(rows -> rows.rowCount());
  }
}
