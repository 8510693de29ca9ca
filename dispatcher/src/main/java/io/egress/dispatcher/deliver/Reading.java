package io.egress.dispatcher.deliver;

import static java.util.Objects.requireNonNull;

import io.egress.delivery.Delivery;
import io.egress.kafka.Topics;
import java.time.Clock;
import java.time.Instant;
import java.util.List;
import java.util.Set;
import java.util.concurrent.TimeUnit;
import java.util.function.ObjLongConsumer;
import org.apache.kafka.clients.consumer.ConsumerRecord;
import org.apache.kafka.clients.consumer.ConsumerRecords;
import org.apache.kafka.common.TopicPartition;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** Makes jobs of records, up to the first of a partition that is not due yet or has no room. */
final class Reading {
  private static final Logger log = LoggerFactory.getLogger(Reading.class);

  private final Workload workload;
  private final Pauses pauses;
  private final Set<String> undelayed;
  private final Clock clock;
  private final ObjLongConsumer<TopicPartition> rewind;

  /** {@code rewind} makes a partition's record of an offset the next one read. */
  Reading(
      Workload workload,
      Pauses pauses,
      Topics topics,
      Clock clock,
      ObjLongConsumer<TopicPartition> rewind) {
    this.workload = requireNonNull(workload, "workload is null");
    this.pauses = requireNonNull(pauses, "pauses is null");
    this.undelayed = Set.of(topics.deliveries(), topics.backfill());
    this.clock = requireNonNull(clock, "clock is null");
    this.rewind = requireNonNull(rewind, "rewind is null");
  }

  void read(ConsumerRecords<byte[], byte[]> records) {
    Instant now = clock.instant();
    for (TopicPartition partition : records.partitions()) {
      if (workload.ledger(partition).isEmpty()) {
        throw new IllegalStateException("records of " + partition + " came unassigned");
      }
      read(partition, records.records(partition), now);
    }
  }

  private void read(
      TopicPartition partition, List<ConsumerRecord<byte[], byte[]>> records, Instant now) {
    pauses.passed(partition);
    for (ConsumerRecord<byte[], byte[]> record : records) {
      Delivery delivery = decode(record);
      if (delivery == null) {
        workload.pass(partition, record.offset());
        continue;
      }
      if (isEarly(partition, delivery, now)) {
        pauses.until(partition, delivery.dueAt());
        rewind.accept(partition, record.offset());
        return;
      }
      long dueForNanos = dueForNanos(delivery, now);
      if (workload.take(partition, record.offset(), delivery, dueForNanos)
          == Workload.Taken.NO_ROOM) {
        pauses.untilThereIsRoom(partition);
        rewind.accept(partition, record.offset());
        return;
      }
    }
  }

  private static long dueForNanos(Delivery delivery, Instant now) {
    long millis = now.toEpochMilli() - delivery.dueAt().toEpochMilli();
    return TimeUnit.MILLISECONDS.toNanos(Math.max(0, millis));
  }

  private boolean isEarly(TopicPartition partition, Delivery delivery, Instant now) {
    return delivery.dueAt().isAfter(now) && !undelayed.contains(partition.topic());
  }

  /** Nothing can be done about a record that nobody can read, and it must not stop the others. */
  private static @Nullable Delivery decode(ConsumerRecord<byte[], byte[]> record) {
    try {
      return Delivery.decode(record.value());
    } catch (RuntimeException unreadable) {
      log.error(
          "Skipped the record at offset {} of {}-{}, which does not describe a delivery: {}",
          record.offset(),
          record.topic(),
          record.partition(),
          unreadable.toString());
      return null;
    }
  }
}
