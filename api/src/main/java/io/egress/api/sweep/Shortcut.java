package io.egress.api.sweep;

import static java.util.Objects.requireNonNull;

import io.egress.kafka.RecordPublisher;
import io.vertx.core.Future;
import io.vertx.core.Promise;
import io.vertx.core.Vertx;
import io.vertx.sqlclient.Pool;
import io.vertx.sqlclient.Tuple;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/**
 * Publishes captures right after they entered the stream, without reading them from the outbox, and
 * deletes their rows soon after Kafka has acknowledged them. What fails here is left to the {@link
 * Outbox}. Used on one event loop.
 */
final class Shortcut {
  /** Beyond that Kafka is slow or there is a backlog, and a shortcut gains nothing. */
  private static final int UNDER_WAY_MAX = 5_000;

  private static final Duration DELETIONS_APART = Duration.ofMillis(100);

  /** Rows locked by an {@link Outbox} are left to it: it has published them, too. */
  private static final String DELETE =
      """
      delete from outbox where sequence = any(array(
        select sequence from outbox where sequence = any($1) for update skip locked))
      """;

  private final Vertx vertx;
  private final Pool pool;
  private final RecordPublisher publisher;
  private final String topic;
  private final Consumer<List<OwedRecord>> relayed;
  private final Runnable leftBehind;
  private final List<Long> published = new ArrayList<>();
  private int underWay;
  private boolean deletionIsDue;
  private @Nullable Promise<Void> closed;

  /**
   * @param relayed receives each batch that Kafka has acknowledged
   * @param leftBehind is run when something was left to the outbox
   */
  Shortcut(
      Vertx vertx,
      Pool pool,
      RecordPublisher publisher,
      String topic,
      Consumer<List<OwedRecord>> relayed,
      Runnable leftBehind) {
    this.vertx = requireNonNull(vertx, "vertx is null");
    this.pool = requireNonNull(pool, "pool is null");
    this.publisher = requireNonNull(publisher, "publisher is null");
    this.topic = requireNonNull(topic, "topic is null");
    this.relayed = requireNonNull(relayed, "relayed is null");
    this.leftBehind = requireNonNull(leftBehind, "leftBehind is null");
  }

  void publish(List<OwedRecord> records) {
    if (records.isEmpty()) {
      return;
    }
    if (closed != null || underWay + records.size() > UNDER_WAY_MAX) {
      leftBehind.run();
      return;
    }
    underWay += records.size();
    publisher
        .publish(records.stream().map(record -> record.message(topic)).toList())
        .onSuccess(acknowledged -> hasPublished(records))
        .onFailure(unsure -> leftBehind.run())
        .onComplete(
            done -> {
              underWay -= records.size();
              completeCloseIfIdle();
            });
  }

  /** Publishes nothing more; completes when all that was is deleted, or cannot be. */
  Future<Void> close() {
    Promise<Void> promise = Promise.promise();
    closed = promise;
    completeCloseIfIdle();
    return promise.future().compose(idle -> delete()).otherwiseEmpty();
  }

  private void hasPublished(List<OwedRecord> records) {
    relayed.accept(records);
    records.forEach(record -> published.add(record.sequence()));
    if (!deletionIsDue) {
      deletionIsDue = true;
      vertx.setTimer(
          DELETIONS_APART.toMillis(),
          due -> {
            deletionIsDue = false;
            delete();
          });
    }
  }

  /** What cannot be deleted is published again by the outbox, and then deleted. */
  private Future<Void> delete() {
    if (published.isEmpty()) {
      return Future.succeededFuture();
    }
    Long[] sequences = published.toArray(Long[]::new);
    published.clear();
    return pool.preparedQuery(DELETE)
        .execute(Tuple.tuple().addArrayOfLong(sequences))
        .onFailure(kept -> leftBehind.run())
        .mapEmpty();
  }

  private void completeCloseIfIdle() {
    if (closed != null && underWay == 0) {
      closed.tryComplete();
    }
  }
}
