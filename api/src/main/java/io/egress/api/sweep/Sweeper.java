package io.egress.api.sweep;

import static java.util.Objects.requireNonNull;

import io.egress.stream.StreamLock;
import io.vertx.core.Future;
import io.vertx.sqlclient.Pool;
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
 */
final class Sweeper {
  static final int BATCH_MAX = 1_000;

  /** One round trip for the whole transaction. */
  private static final String SWEEP = "select * from sweep($1, $2)";

  private final Pool pool;
  private final Consumer<List<OwedRecord>> entered;

  /** {@code entered} is called with each batch that may be published. */
  Sweeper(Pool pool, Consumer<List<OwedRecord>> entered) {
    this.pool = requireNonNull(pool, "pool is null");
    this.entered = requireNonNull(entered, "entered is null");
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
    return pool.preparedQuery(SWEEP)
        .execute(Tuple.of(StreamLock.KEY, BATCH_MAX))
        .map(
            rows -> {
              List<OwedRecord> moved = new ArrayList<>(rows.size());
              rows.forEach(row -> moved.add(OwedRecord.of(row)));
              return moved;
            });
  }
}
