package io.egress.dispatcher.reconcile;

import io.egress.platform.kafka.Brokers;
import java.util.HashSet;
import java.util.Map;
import java.util.Set;
import org.apache.kafka.clients.admin.OffsetSpec;
import org.apache.kafka.common.TopicPartition;
import org.jspecify.annotations.Nullable;

/**
 * Finds partitions of which a group has missed records: those before the first one that Kafka still
 * has, or those after the end. Without a commit, and with all records since the first one, a group
 * reads everything, and nothing is missed.
 */
final class StrayOffsets {
  private final Brokers brokers;

  StrayOffsets(Brokers brokers) {
    this.brokers = brokers;
  }

  /**
   * Descriptions that stay the same while nothing further is missed. The ends are read last: they
   * only move away from the offsets read before.
   */
  Set<String> of(String group, Set<TopicPartition> partitions) {
    Map<TopicPartition, Long> first = brokers.offsets(partitions, OffsetSpec.earliest()).await();
    Map<TopicPartition, Long> committed = brokers.committed(group).await();
    Map<TopicPartition, Long> ends = brokers.offsets(partitions, OffsetSpec.latest()).await();
    Set<String> strays = new HashSet<>();
    first.forEach((partition, earliest) -> {
      String stray = stray(earliest, committed.get(partition), ends.get(partition));
      if (stray != null) {
        strays.add("group " + group + ", " + partition + ": " + stray);
      }
    });
    return strays;
  }

  private static @Nullable String stray(
      long earliest, @Nullable Long committed, @Nullable Long end) {
    if (committed == null) {
      return earliest == 0
          ? null
          : "no offset is committed, and records before %d are gone".formatted(earliest);
    }
    if (committed < earliest) {
      return "records from %d to %d are gone".formatted(committed, earliest - 1);
    }
    return end != null && committed > end
        ? "offset %d is beyond the end".formatted(committed)
        : null;
  }
}
