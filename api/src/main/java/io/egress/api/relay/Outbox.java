package io.egress.api.relay;

import io.egress.platform.database.Transactions;
import io.vertx.core.Future;
import io.vertx.core.Promise;
import io.vertx.core.Vertx;
import io.vertx.sqlclient.Pool;
import io.vertx.sqlclient.Row;
import io.vertx.sqlclient.RowSet;
import io.vertx.sqlclient.SqlConnection;
import io.vertx.sqlclient.Tuple;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.concurrent.TimeUnit;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/**
 * Publishes the outbox to Kafka. A row is deleted after the broker has acknowledged its record: a
 * record may be published twice, but is never left out.
 *
 * <p>The process that added captures to the stream has their records, and publishes them without
 * reading them again. Rows that are older than this takes were left by a process that died or could
 * not publish. Several processes share them: a row is locked while its record is being published.
 *
 * <p>Lives on one context.
 */
final class Outbox {
  static final int BATCH_MAX = 500;

  /** Of a publication; longer than a healthy broker takes to acknowledge a batch. */
  private static final Duration PUBLISH_MAX = Duration.ofSeconds(3);

  /** Longer than a process that lives takes to publish and delete its rows. */
  private static final Duration LEFT_AFTER = Duration.ofSeconds(5);

  private static final Duration DELETIONS_APART = Duration.ofMillis(50);

  /** More are left in the outbox: Kafka does not keep up. */
  private static final int UNDER_WAY_MAX = 10_000;

  /** If a crash undoes a deletion, its records are published again. */
  private static final String DO_NOT_WAIT_FOR_THE_DISK =
      "set_config('synchronous_commit', 'off', true)";

  private static final String DELETE =
      "delete from outbox where sequence = any($1) returning " + DO_NOT_WAIT_FOR_THE_DISK;

  /** Rows are inserted in sequence. */
  private static final String TAKE_LEFT =
      """
      delete from outbox where sequence = any(array(
        select sequence from outbox
        where sequence > $1 and entered_at < now() - interval '%d seconds'
        order by sequence limit %d for update skip locked))
      returning sequence, workspace_id, position, capture_id, entered_at, traceparent, %s
      """
          .formatted(LEFT_AFTER.toSeconds(), BATCH_MAX, DO_NOT_WAIT_FOR_THE_DISK);

  private final Vertx vertx;
  private final Pool pool;
  private final CapturePublisher publisher;
  private final Consumer<List<OwedRecord>> published;
  private final List<Long> toDelete = new ArrayList<>();
  private int underWay;
  private boolean deleting;
  private long failedNanos;
  private @Nullable Throwable lastFailure;
  private @Nullable Promise<Void> closed;

  /** {@code published} is called with each batch. */
  Outbox(Vertx vertx, Pool pool, CapturePublisher publisher, Consumer<List<OwedRecord>> published) {
    this.vertx = vertx;
    this.pool = pool;
    this.publisher = publisher;
    this.published = published;
  }

  /** Call with rows that this process has just inserted. */
  void publish(List<OwedRecord> inserted) {
    if (inserted.isEmpty() || hasJustFailed() || underWay > UNDER_WAY_MAX) {
      return;
    }
    underWay += inserted.size();
    send(inserted)
        .onComplete(done -> {
          underWay -= inserted.size();
          if (done.succeeded()) {
            inserted.forEach(record -> toDelete.add(record.sequence()));
          }
          deleteSoon();
        });
  }

  /** Returns the number of rows that were left and are published now. */
  Future<Integer> publishLeft() {
    return hasJustFailed() ? Future.failedFuture(lastFailure) : publishLeft(0);
  }

  /** Completes when nothing is under way. Call when no more rows are inserted. */
  Future<Void> close() {
    Promise<Void> promise = Promise.promise();
    closed = promise;
    deleteSoon();
    return promise.future();
  }

  private Future<Integer> publishLeft(long after) {
    return Transactions.once(pool, tx -> publishBatch(tx, after))
        .compose(batch ->
            batch.size() < BATCH_MAX
                ? Future.succeededFuture(batch.size())
                : publishLeft(batch.get(BATCH_MAX - 1).sequence())
                    .map(more -> batch.size() + more));
  }

  private Future<List<OwedRecord>> publishBatch(SqlConnection tx, long after) {
    return tx.preparedQuery(TAKE_LEFT)
        .execute(Tuple.of(after))
        .compose(rows -> {
          List<OwedRecord> left = inSequence(rows);
          return send(left).map(_ -> left);
        });
  }

  private static List<OwedRecord> inSequence(RowSet<Row> rows) {
    List<OwedRecord> records = new ArrayList<>();
    rows.forEach(row -> records.add(OwedRecord.of(row)));
    records.sort(Comparator.comparingLong(OwedRecord::sequence));
    return records;
  }

  private Future<Void> send(List<OwedRecord> records) {
    return publisher
        .publish(records)
        .timeout(PUBLISH_MAX.toMillis(), TimeUnit.MILLISECONDS)
        .onSuccess(_ -> {
          lastFailure = null;
          published.accept(records);
        })
        .onFailure(failure -> {
          lastFailure = failure;
          failedNanos = System.nanoTime();
        });
  }

  /** A process that cannot reach Kafka leaves its rows to others. */
  private boolean hasJustFailed() {
    return lastFailure != null && System.nanoTime() - failedNanos < PUBLISH_MAX.toNanos();
  }

  /** Rows whose deletion fails are published again as rows that were left. */
  private void deleteSoon() {
    if (deleting) {
      return;
    }
    if (toDelete.isEmpty()) {
      if (closed != null && underWay == 0) {
        closed.tryComplete();
      }
      return;
    }
    deleting = true;
    vertx
        .timer(DELETIONS_APART.toMillis(), TimeUnit.MILLISECONDS)
        .compose(_ -> deleteNow())
        .onComplete(_ -> {
          deleting = false;
          deleteSoon();
        });
  }

  private Future<?> deleteNow() {
    Tuple sequences = Tuple.of(toDelete.toArray(Long[]::new));
    toDelete.clear();
    return pool.preparedQuery(DELETE).execute(sequences);
  }
}
