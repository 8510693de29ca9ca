package io.egress.dispatcher.deliver;

import io.egress.webhook.queue.Topics;
import java.time.Instant;
import java.util.HashMap;
import java.util.HashSet;
import java.util.Map;
import java.util.Set;
import org.apache.kafka.common.TopicPartition;
import org.jspecify.annotations.Nullable;

/**
 * Decides which partitions are paused: a delayed one until its next record is due or has to be
 * looked for, one whose ledger or backlog is full, backfill while much is waiting, and all of them
 * while the lanes are full. Records in a paused partition take no memory.
 */
final class Pauses {
  /** Below the backlog of live deliveries when they arrive faster than they are sent. */
  private static final int BACKFILL_WAITING_MAX = 4_000;

  private final Workload workload;
  private final String backfill;
  private final int roomMin;
  private final SlowTopics slow;
  private final Map<TopicPartition, Instant> heads = new HashMap<>();
  private final Set<TopicPartition> outOfRoom = new HashSet<>();

  /** {@code roomMin} is the room that a partition's ledger must have to be read. */
  Pauses(Workload workload, Topics topics, int roomMin) {
    this.workload = workload;
    this.backfill = topics.backfill();
    this.roomMin = roomMin;
    this.slow = new SlowTopics(topics);
  }

  /** The partition's next record is due at this time. */
  void until(TopicPartition partition, Instant due) {
    heads.put(partition, due);
  }

  /** Records of the partition have been read. */
  void passed(TopicPartition partition, Instant now) {
    heads.remove(partition);
    slow.read(partition, now);
  }

  /** When the partition's next record is or was due; null if unknown. */
  @Nullable Instant headDue(TopicPartition partition) {
    return heads.get(partition);
  }

  void untilThereIsRoom(TopicPartition partition) {
    outOfRoom.add(partition);
  }

  void forget(Set<TopicPartition> partitions) {
    heads.keySet().removeAll(partitions);
    outOfRoom.removeAll(partitions);
    slow.forget(partitions);
  }

  Set<TopicPartition> current(Set<TopicPartition> assigned, Instant now) {
    outOfRoom.removeIf(partition ->
        workload.ledger(partition).map(ledger -> ledger.room() >= roomMin).orElse(true));
    if (workload.isFull()) {
      return assigned;
    }
    Set<TopicPartition> paused = new HashSet<>();
    for (TopicPartition partition : assigned) {
      Instant due = heads.get(partition);
      if (due == null ? slow.rests(partition, now) : due.isAfter(now)) {
        paused.add(partition);
      }
    }
    paused.addAll(outOfRoom);
    paused.addAll(workload.enough());
    if (workload.waiting() >= BACKFILL_WAITING_MAX) {
      assigned.stream()
          .filter(partition -> partition.topic().equals(backfill))
          .forEach(paused::add);
    }
    return paused;
  }
}
