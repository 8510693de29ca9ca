package io.egress.dispatcher.deliver;

import io.egress.dispatcher.consume.RecordConsumer;
import io.egress.platform.kafka.NewerRecordException;
import io.egress.platform.kafka.TraceHeader;
import io.egress.webhook.delivery.Delivery;
import io.egress.webhook.queue.Topics;
import java.time.Clock;
import java.time.Duration;
import java.time.Instant;
import java.util.HashSet;
import java.util.Set;
import java.util.concurrent.TimeUnit;
import org.apache.kafka.clients.consumer.ConsumerRecord;
import org.apache.kafka.clients.consumer.ConsumerRecords;
import org.apache.kafka.common.TopicPartition;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import org.slf4j.event.Level;

/**
 * Takes the records of a worker: each is entered in its partition's ledger, and its job queued in
 * its endpoint's lane, or left to the stream. Owned by one event loop.
 */
final class RecordIntake {
  private static final Logger log = LoggerFactory.getLogger(RecordIntake.class);

  /** How long what is beyond its endpoint's share is parked. */
  static final Duration PARKED_BEYOND_SHARE = Duration.ofSeconds(5);

  private final Clock clock;
  private final RecordConsumer consumer;
  private final String live;
  private final String backfill;
  private final Workload workload;
  private final Pauses pauses;
  private final OutcomeRecorder outcomes;
  private final FallingBehind fallingBehind;

  /** Partitions of which it was said that a record is left to others. */
  private final Set<TopicPartition> warnedPartitions = new HashSet<>();

  RecordIntake(
      Clock clock,
      RecordConsumer consumer,
      Topics topics,
      Workload workload,
      Pauses pauses,
      OutcomeRecorder outcomes,
      FallingBehind fallingBehind) {
    this.clock = clock;
    this.consumer = consumer;
    this.live = topics.deliveries();
    this.backfill = topics.backfill();
    this.workload = workload;
    this.pauses = pauses;
    this.outcomes = outcomes;
    this.fallingBehind = fallingBehind;
  }

  /** Takes the records of each partition up to the first one that has to be read again later. */
  void consume(ConsumerRecords<byte[], byte[]> records) {
    Instant now = clock.instant();
    for (TopicPartition partition : records.partitions()) {
      if (workload.ledger(partition).isEmpty()) {
        throw new IllegalStateException("records of an unassigned partition: " + partition);
      }
      pauses.passed(partition, now);
      for (ConsumerRecord<byte[], byte[]> record : records.records(partition)) {
        if (!take(partition, record, now)) {
          consumer.rewind(partition, record.offset());
          break;
        }
      }
    }
  }

  /** Whether the record need not be read again by this process. */
  private boolean take(
      TopicPartition partition, ConsumerRecord<byte[], byte[]> record, Instant now) {
    Delivery delivery;
    try {
      delivery = Delivery.decode(record.value()).tracedBy(TraceHeader.in(record));
    } catch (NewerRecordException newer) {
      return leave(partition, record, newer);
    } catch (RuntimeException unreadable) {
      skip(partition, record, unreadable);
      return true;
    }
    return admit(partition, record.offset(), delivery, now);
  }

  /** The partition is handed on with it: no later offset is committed here. */
  private boolean leave(
      TopicPartition partition, ConsumerRecord<byte[], byte[]> record, NewerRecordException newer) {
    if (!workload.leave(partition, record.offset())) {
      pauses.untilThereIsRoom(partition);
      return false;
    }
    log.atLevel(warnedPartitions.add(partition) ? Level.WARN : Level.DEBUG)
        .log(
            "Left the record at offset {} of {} to a dispatcher of a newer release: {}",
            record.offset(),
            partition,
            newer.getMessage());
    return true;
  }

  /** An unreadable record would block the others. */
  private void skip(
      TopicPartition partition,
      ConsumerRecord<byte[], byte[]> record,
      RuntimeException unreadable) {
    log.error(
        "Skipped the record at offset {} of {}, which does not describe a delivery: {}",
        record.offset(),
        partition,
        unreadable.toString());
    workload.pass(partition, record.offset());
  }

  private boolean admit(TopicPartition partition, long offset, Delivery delivery, Instant now) {
    boolean isDelayed = !partition.topic().equals(live) && !partition.topic().equals(backfill);
    boolean isEarly = isDelayed && delivery.dueAt().isAfter(now);
    if (isEarly) {
      pauses.until(partition, delivery.dueAt());
      return false;
    }
    long dueForMillis = now.toEpochMilli() - delivery.dueAt().toEpochMilli();
    long dueForNanos = TimeUnit.MILLISECONDS.toNanos(Math.max(0, dueForMillis));
    Workload.Taken taken =
        workload.take(
            partition,
            offset,
            delivery,
            dueForNanos,
            !partition.topic().equals(backfill),
            job -> leave(job, PARKED_BEYOND_SHARE));
    if (taken == Workload.Taken.NO_ROOM) {
      pauses.untilThereIsRoom(partition);
      return false;
    }
    return true;
  }

  /**
   * A job that is not to wait in its lane. What fan-out has published is read from the stream
   * later, by which Kafka has few records of an endpoint that is slow or gets much; anything else
   * is parked.
   */
  private void leave(Job job, Duration parked) {
    if (workload.mayLeaveToStream(job)) {
      workload.leaveToStream(job);
      fallingBehind.add(job);
    } else {
      outcomes.postponed(job, parked);
    }
  }

  /** Called periodically: jobs in a stuck lane make room. */
  void park() {
    workload.takeParkable().forEach(parkable -> leave(parkable.record(), parkable.delay()));
  }

  /** Endpoints of which it is not stored yet that they are behind. */
  int fallingBehind() {
    return fallingBehind.pending();
  }

  /** Nothing more is stored. */
  void giveUp() {
    fallingBehind.giveUp();
  }

  long waitingNanos() {
    return fallingBehind.waitingNanos();
  }
}
