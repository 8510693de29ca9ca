package io.egress.api.sweep;

import io.egress.transcript.stream.StreamLock;
import io.vertx.core.Future;
import io.vertx.sqlclient.Pool;
import io.vertx.sqlclient.SqlClient;
import io.vertx.sqlclient.Tuple;
import java.util.ArrayList;
import java.util.List;
import java.util.function.Consumer;

/**
 * Moves finished captures from the inbox into the stream and the outbox.
 *
 * <p>The cursor's guarantee rests on this class: positions are assigned in a transaction that holds
 * the stream's single advisory lock, which is released only after the rows have become visible.
 * Rows therefore become visible in order, and a reader that has seen position n has seen everything
 * below it.
 *
 * <p>Usually the transaction that stores a capture also moves it. What it leaves because the lock
 * is taken, or because there is too much, is moved by a transaction that does nothing else.
 */
public final class Sweeper {
  static final int BATCH_MAX = 1_000;

  /** A capture does not wait for many others to be moved. */
  private static final int WITHIN_MAX = 100;

  private static final String SWEEP_IF_FREE = "select * from sweep_if_free($1, $2)";

  /** One round trip for the whole transaction. */
  private static final String SWEEP = "select * from sweep($1, $2)";

  private final Pool pool;
  private final Consumer<List<OwedRecord>> entered;

  /** {@code entered} is called with each batch that may be published. */
  Sweeper(Pool pool, Consumer<List<OwedRecord>> entered) {
    this.pool = pool;
    this.entered = entered;
  }

  /**
   * Moves captures within a transaction, of which this must be the last statement: nobody else can
   * move any until it ends.
   */
  public static Future<List<OwedRecord>> sweepWithin(SqlClient tx) {
    return moved(tx, SWEEP_IF_FREE, WITHIN_MAX);
  }

  /** Returns the number of captures moved, once the inbox was found empty. */
  Future<Integer> sweep() {
    return moveBatch()
        .onSuccess(entered::accept)
        .compose(
            moved ->
                moved.size() < BATCH_MAX
                    ? Future.succeededFuture(moved.size())
                    : sweep().map(more -> moved.size() + more));
  }

  private Future<List<OwedRecord>> moveBatch() {
    return moved(pool, SWEEP, BATCH_MAX);
  }

  private static Future<List<OwedRecord>> moved(SqlClient client, String sweep, int max) {
    return client
        .preparedQuery(sweep)
        .execute(Tuple.of(StreamLock.KEY, max))
        .map(
            rows -> {
              List<OwedRecord> moved = new ArrayList<>(rows.size());
              rows.forEach(row -> moved.add(OwedRecord.of(row)));
              return moved;
            });
  }
}
