package io.egress.api.sweep;

import static java.util.Objects.requireNonNull;

import io.egress.database.Transactions;
import io.vertx.core.Future;
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
 * Publishes the outbox to Kafka. The transaction that deletes a row is committed only after the
 * broker has acknowledged its record: several processes share the work, and the rows of one that
 * dies are taken over by the others. A record may be published twice, but is never left out.
 *
 * <p>A row is locked while its record is being published, so publishing has a timeout. A process
 * that could not publish takes no rows for a while, so that another one can.
 */
final class Outbox {
  static final int BATCH_MAX = 500;

  /** If a crash undoes the deletion, its records are published again. */
  private static final String DO_NOT_WAIT_FOR_THE_DISK = "set local synchronous_commit = off";

  /** Rows are inserted in sequence, and all but the newest have been deleted. */
  private static final String TAKE =
      """
      delete from outbox where sequence = any(array(
        select sequence from outbox
        where sequence > $1
        order by sequence limit %d for update skip locked))
      returning sequence, workspace_id, position, capture_id, finished_at, entered_at, traceparent
      """
          .formatted(BATCH_MAX);

  /** Longer than a healthy broker takes to acknowledge a batch. */
  private static final Duration PUBLISH_MAX = Duration.ofSeconds(3);

  /** Longer than other processes take to poll all rows. */
  private static final long LEFT_TO_OTHERS_NANOS = TimeUnit.SECONDS.toNanos(3);

  /** How often to look for rows that another process locked and did not publish. */
  private static final long LOOK_AT_ALL_NANOS = TimeUnit.SECONDS.toNanos(1);

  private final Pool pool;
  private final CapturePublisher publisher;
  private final Consumer<List<OwedRecord>> relayed;
  private long lookedAtAllNanos = System.nanoTime() - LOOK_AT_ALL_NANOS;
  private long lastPublished;
  private long failedNanos = System.nanoTime() - LEFT_TO_OTHERS_NANOS;
  private @Nullable Throwable lastFailure;

  /** {@code relayed} is called with each batch. */
  Outbox(Pool pool, CapturePublisher publisher, Consumer<List<OwedRecord>> relayed) {
    this.pool = requireNonNull(pool, "pool is null");
    this.publisher = requireNonNull(publisher, "publisher is null");
    this.relayed = requireNonNull(relayed, "relayed is null");
  }

  /** Returns the number of published records once no unlocked row is left. */
  Future<Integer> publish() {
    if (lastFailure != null && System.nanoTime() - failedNanos < LEFT_TO_OTHERS_NANOS) {
      return Future.failedFuture(lastFailure);
    }
    return publishAll()
        .onSuccess(published -> lastFailure = null)
        .onFailure(
            failure -> {
              lastFailure = failure;
              failedNanos = System.nanoTime();
            });
  }

  private Future<Integer> publishAll() {
    return Transactions.once(pool, this::publishBatch)
        .onSuccess(relayed::accept)
        .compose(
            published ->
                published.size() < BATCH_MAX
                    ? Future.succeededFuture(published.size())
                    : publishAll().map(more -> published.size() + more));
  }

  private Future<List<OwedRecord>> publishBatch(SqlConnection tx) {
    Future<?> relaxed = tx.query(DO_NOT_WAIT_FOR_THE_DISK).execute();
    Future<RowSet<Row>> oldest = tx.preparedQuery(TAKE).execute(Tuple.of(after()));
    return Future.join(relaxed, oldest)
        .compose(
            both -> {
              List<OwedRecord> taken = new ArrayList<>();
              oldest.result().forEach(row -> taken.add(OwedRecord.of(row)));
              taken.sort(Comparator.comparing(OwedRecord::sequence));
              return publisher
                  .publish(taken)
                  .timeout(PUBLISH_MAX.toMillis(), TimeUnit.MILLISECONDS)
                  .map(acknowledged -> published(taken));
            });
  }

  /** Rows below it are not looked for: that part of the index is full of deleted rows. */
  private long after() {
    long now = System.nanoTime();
    if (now - lookedAtAllNanos < LOOK_AT_ALL_NANOS) {
      return lastPublished;
    }
    lookedAtAllNanos = now;
    return 0;
  }

  private List<OwedRecord> published(List<OwedRecord> records) {
    for (OwedRecord record : records) {
      lastPublished = Math.max(lastPublished, record.sequence());
    }
    return records;
  }
}
