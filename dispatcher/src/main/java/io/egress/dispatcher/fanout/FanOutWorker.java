package io.egress.dispatcher.fanout;

import io.egress.dispatcher.consume.RecordConsumer;
import io.egress.dispatcher.consume.RecordConsumer.Subscription;
import io.egress.dispatcher.supervise.MemberSupervisor.GroupMember;
import io.egress.platform.kafka.KafkaSettings;
import io.egress.platform.kafka.NewerRecordException;
import io.egress.platform.kafka.TraceHeader;
import io.egress.platform.outage.Outage;
import io.egress.transcript.stream.ProcessedCapture;
import io.egress.webhook.queue.Topics;
import io.vertx.core.Future;
import io.vertx.core.Promise;
import io.vertx.core.Vertx;
import io.vertx.core.buffer.Buffer;
import java.time.Duration;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Deque;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.TimeUnit;
import java.util.function.Consumer;
import org.apache.kafka.clients.consumer.ConsumerRecord;
import org.apache.kafka.clients.consumer.ConsumerRecords;
import org.apache.kafka.clients.consumer.CooperativeStickyAssignor;
import org.apache.kafka.common.TopicPartition;
import org.apache.kafka.common.errors.RebalanceInProgressException;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Publishes the deliveries of captures in batches, in the order of their offsets. Records that
 * arrive meanwhile form the next batch. An offset is committed once the deliveries of all records
 * before it are acknowledged. Commits are made only now and then, because one takes as long as a
 * batch, and deliveries published again after a crash are not sent again.
 */
final class FanOutWorker implements GroupMember, RecordConsumer.Reader {
  private static final Logger log = LoggerFactory.getLogger(FanOutWorker.class);

  private static final int BATCH_RECORDS_MAX = 500;
  private static final int WAITING_RECORDS_MAX = 2_000;
  private static final Duration COMMIT_PERIOD = Duration.ofSeconds(1);

  private static final Duration PAUSE_AFTER_FAILURE = Duration.ofMillis(500);

  /** How long a batch in progress may delay a rebalance or the end of the worker. */
  private static final Duration HANDOVER_MAX = Duration.ofSeconds(3);

  private static final Duration HANDOVER_GRACE = Duration.ofSeconds(2);

  /**
   * Where to read.
   *
   * @param replaced topics of which committed offsets are not to be used
   */
  record Source(KafkaSettings kafka, Topics topics, Set<String> replaced) {
    Source {
      replaced = Set.copyOf(replaced);
    }
  }

  private final Vertx vertx;
  private final FanOut fanOut;
  private final Duration stallTimeout;
  private final Consumer<Duration> stalled;
  private final RecordConsumer consumer;
  private final String topic;
  private final Deque<ConsumerRecord<byte[], byte[]>> waiting = new ArrayDeque<>();
  private final Map<TopicPartition, Long> uncommitted = new HashMap<>();

  /** Includes a revoked partition until the batch in progress has ended. */
  private final Set<TopicPartition> committable = new HashSet<>();

  /** Begins with a record that only a later release can read. */
  private final Set<TopicPartition> blockedPartitions = new HashSet<>();

  private final Outage publishing =
      new Outage(log, "Cannot publish deliveries; retrying", "Deliveries are published again");
  private final Outage committing =
      new Outage(log, "Cannot commit fan-out offsets; retrying", "Fan-out offsets are committed");
  private Future<Void> batch = Future.succeededFuture();
  private long batchBegunNanos;
  private long timer;
  private boolean committingNow;
  private boolean closing;

  /** {@code stalled} is called with the time for which PostgreSQL or Kafka has not answered. */
  FanOutWorker(
      Vertx vertx,
      Source source,
      FanOut fanOut,
      Duration stallTimeout,
      Consumer<Duration> stalled) {
    this.vertx = vertx;
    this.fanOut = fanOut;
    this.stallTimeout = stallTimeout;
    this.stalled = stalled;
    this.topic = source.topics().capturesProcessed();
    this.consumer =
        new RecordConsumer(
            vertx,
            source.kafka(),
            new Subscription(
                source.topics().fanOutGroup(),
                CooperativeStickyAssignor.class,
                Map.of(),
                source.replaced()),
            HANDOVER_MAX.plus(HANDOVER_GRACE),
            this);
  }

  @Override
  public Future<Void> start() {
    timer = vertx.setPeriodic(COMMIT_PERIOD.toMillis(), tick -> tick());
    return consumer.subscribe(Set.of(topic));
  }

  /** The batch in progress is finished and committed as the partitions are handed over. */
  @Override
  public Future<Void> close() {
    closing = true;
    waiting.clear();
    return leave();
  }

  @Override
  public Future<Void> release() {
    closing = true;
    waiting.clear();
    uncommitted.clear();
    committable.clear();
    return leave();
  }

  /** There is nothing to write: uncommitted captures are fanned out again, with the same ids. */
  @Override
  public Future<Void> flush(Duration max) {
    return Future.succeededFuture();
  }

  Duration sinceLastPoll() {
    return consumer.sinceLastPoll();
  }

  @Override
  public void assigned(Set<TopicPartition> partitions) {
    committable.addAll(partitions);
    blockedPartitions.removeAll(partitions);
    applyPauses();
  }

  @Override
  public Future<Map<TopicPartition, Long>> revoked(Set<TopicPartition> partitions) {
    drop(partitions);
    return endOfBatch()
        .map(_ -> {
          Map<TopicPartition, Long> offsets = new HashMap<>(uncommitted);
          offsets.keySet().retainAll(partitions);
          forget(partitions);
          return offsets;
        });
  }

  @Override
  public void lost(Set<TopicPartition> partitions) {
    drop(partitions);
    forget(partitions);
  }

  @Override
  public void read(ConsumerRecords<byte[], byte[]> records) {
    if (!closing) {
      for (ConsumerRecord<byte[], byte[]> record : records) {
        if (!blockedPartitions.contains(partition(record))) {
          waiting.add(record);
        }
      }
      applyPauses();
      proceed();
    }
  }

  @Override
  public void failed(Throwable failure) {
    throw new IllegalStateException("the topic of processed captures cannot be read", failure);
  }

  private Future<Void> leave() {
    vertx.cancelTimer(timer);
    return consumer.close();
  }

  private void drop(Set<TopicPartition> partitions) {
    waiting.removeIf(record -> partitions.contains(partition(record)));
  }

  private void forget(Set<TopicPartition> partitions) {
    committable.removeAll(partitions);
    blockedPartitions.removeAll(partitions);
    uncommitted.keySet().removeAll(partitions);
  }

  /** Completes when no batch is in progress, or when a hand-over cannot wait any longer. */
  private Future<Void> endOfBatch() {
    return batch.timeout(HANDOVER_MAX.toMillis(), TimeUnit.MILLISECONDS).otherwiseEmpty();
  }

  private void applyPauses() {
    consumer.pauseOnly(
        closing || waiting.size() >= WAITING_RECORDS_MAX ? consumer.assigned() : blockedPartitions);
  }

  private void tick() {
    long busyNanos = batch.isComplete() ? 0 : System.nanoTime() - batchBegunNanos;
    if (!closing && busyNanos > stallTimeout.toNanos()) {
      stalled.accept(Duration.ofNanos(busyNanos));
    } else if (!closing) {
      commit();
    }
  }

  private void proceed() {
    if (waiting.isEmpty() || !batch.isComplete()) {
      return;
    }
    List<ProcessedCapture> captures = new ArrayList<>();
    Map<TopicPartition, Long> reached = new HashMap<>();
    for (int i = 0; i < BATCH_RECORDS_MAX && !waiting.isEmpty(); i++) {
      ConsumerRecord<byte[], byte[]> record = waiting.remove();
      if (decode(record, captures)) {
        reached.put(partition(record), record.offset() + 1);
      } else {
        leave(record);
      }
    }
    if (captures.isEmpty() && reached.isEmpty()) {
      return;
    }
    Promise<Void> published = Promise.promise();
    batch = published.future();
    batchBegunNanos = System.nanoTime();
    publish(captures, published);
    batch.onSuccess(_ -> {
      reached.keySet().retainAll(committable);
      uncommitted.putAll(reached);
      applyPauses();
      proceed();
    });
  }

  /** Repeated until it succeeds or the worker has left the group. */
  private void publish(List<ProcessedCapture> captures, Promise<Void> published) {
    fanOut
        .owe(captures)
        .onSuccess(_ -> {
          publishing.worked();
          published.complete();
        })
        .onFailure(failure -> {
          publishing.failed(failure);
          vertx.setTimer(
              PAUSE_AFTER_FAILURE.toMillis(),
              _ -> {
                if (closing) {
                  published.fail(failure);
                } else {
                  publish(captures, published);
                }
              });
        });
  }

  /**
   * One commit at a time: of two, the older might arrive last and replace the newer. Its offsets
   * count as uncommitted until it succeeds, so a hand-over before that commits them.
   */
  private void commit() {
    if (uncommitted.isEmpty() || committingNow) {
      return;
    }
    Map<TopicPartition, Long> offsets = Map.copyOf(uncommitted);
    committingNow = true;
    consumer
        .commit(offsets)
        .onSuccess(_ -> {
          committing.worked();
          offsets.forEach(uncommitted::remove);
        })
        .onFailure(failure -> {
          if (!(failure instanceof RebalanceInProgressException)) {
            committing.failed(failure);
          }
        })
        .onComplete(_ -> committingNow = false);
  }

  /** From this record on, the partition is left to a process of the release that wrote it. */
  private void leave(ConsumerRecord<byte[], byte[]> record) {
    TopicPartition partition = partition(record);
    log.warn(
        "Left {} from offset {} on to a dispatcher of the newer release that wrote it",
        partition,
        record.offset());
    blockedPartitions.add(partition);
    drop(Set.of(partition));
    applyPauses();
  }

  /** False for a record that only a later release can read. */
  private static boolean decode(
      ConsumerRecord<byte[], byte[]> record, List<ProcessedCapture> captures) {
    try {
      captures.add(ProcessedCapture.decode(Buffer.buffer(record.value()), TraceHeader.in(record)));
    } catch (NewerRecordException newer) {
      return false;
    } catch (RuntimeException unreadable) {
      log.error(
          "Skipped the record at offset {} of {}, which does not describe a capture: {}",
          record.offset(),
          partition(record),
          unreadable.toString());
    }
    return true;
  }

  private static TopicPartition partition(ConsumerRecord<?, ?> record) {
    return new TopicPartition(record.topic(), record.partition());
  }
}
