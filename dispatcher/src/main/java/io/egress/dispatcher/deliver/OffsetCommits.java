package io.egress.dispatcher.deliver;

import io.egress.dispatcher.consume.RecordConsumer;
import io.egress.dispatcher.ledger.LedgerBook.Commit;
import io.vertx.core.Future;
import io.vertx.core.Vertx;
import java.time.Duration;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.TimeUnit;
import org.apache.kafka.common.TopicPartition;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** Commits the offsets of the ledgers, one commit at a time. */
final class OffsetCommits {
  private static final Logger log = LoggerFactory.getLogger(OffsetCommits.class);

  /** The longest duration of a rebalance. */
  private static final int LAST_TRIES = 20;

  private static final Duration LAST_TRIES_APART = Duration.ofMillis(100);

  private final Vertx vertx;
  private final Workload workload;
  private final RecordConsumer consumer;
  private boolean committing;

  OffsetCommits(Vertx vertx, Workload workload, RecordConsumer consumer) {
    this.vertx = vertx;
    this.workload = workload;
    this.consumer = consumer;
  }

  /** A failed commit is due again the next time. */
  void commitDue() {
    List<Commit<TopicPartition>> due = workload.commitsDue();
    if (due.isEmpty() || committing) {
      return;
    }
    Map<TopicPartition, Long> offsets = new HashMap<>();
    due.forEach(commit -> offsets.put(commit.partition(), commit.nextOffset()));
    committing = true;
    consumer
        .commit(offsets)
        .onSuccess(_ -> due.forEach(workload::committed))
        .onFailure(failure -> log.debug("offsets were not committed", failure))
        .onComplete(_ -> committing = false);
  }

  /**
   * Kafka rejects commits during a rebalance. The delivery log prevents uncommitted deliveries from
   * being sent again.
   */
  Future<Void> commitAtLast(Map<TopicPartition, Long> offsets) {
    return commitAtLast(offsets, LAST_TRIES);
  }

  private Future<Void> commitAtLast(Map<TopicPartition, Long> offsets, int tries) {
    if (offsets.isEmpty() || tries == 0) {
      return Future.succeededFuture();
    }
    return consumer
        .commit(offsets)
        .recover(_ ->
            vertx
                .timer(LAST_TRIES_APART.toMillis(), TimeUnit.MILLISECONDS)
                .compose(_ -> commitAtLast(offsets, tries - 1)));
  }
}
