package io.egress.dispatcher.consume;

import java.util.HashMap;
import java.util.List;
import java.util.Map;
import org.apache.kafka.clients.consumer.RangeAssignor;
import org.apache.kafka.common.PartitionInfo;
import org.apache.kafka.common.TopicPartition;

/**
 * Assigns ranges, so that partition i of every delivery topic belongs to the same worker, and moves
 * as few partitions as possible: a partition that moves stays unassigned until its owner has
 * released it, which triggers the next rebalance.
 */
public final class CooperativeRangeAssignor extends RangeAssignor {
  private record Claim(String member, int generation) {}

  @Override
  public String name() {
    return "egress-cooperative-range";
  }

  @Override
  public List<RebalanceProtocol> supportedProtocols() {
    return List.of(RebalanceProtocol.COOPERATIVE, RebalanceProtocol.EAGER);
  }

  @Override
  public Map<String, List<TopicPartition>> assignPartitions(
      Map<String, List<PartitionInfo>> partitionsPerTopic,
      Map<String, Subscription> subscriptions) {
    Map<String, List<TopicPartition>> ranges =
        super.assignPartitions(partitionsPerTopic, subscriptions);
    Map<TopicPartition, Claim> owners = owners(subscriptions);
    ranges.forEach((member, partitions) ->
        partitions.removeIf(partition -> {
          Claim owner = owners.get(partition);
          return owner != null && !owner.member().equals(member);
        }));
    return ranges;
  }

  /** Of two members that claim a partition, the one with the later generation owns it. */
  private static Map<TopicPartition, Claim> owners(Map<String, Subscription> subscriptions) {
    Map<TopicPartition, Claim> owners = new HashMap<>();
    subscriptions.forEach((member, subscription) -> {
      Claim claim = new Claim(member, subscription.generationId().orElse(-1));
      for (TopicPartition partition : subscription.ownedPartitions()) {
        owners.merge(
            partition, claim, (one, other) -> other.generation() > one.generation() ? other : one);
      }
    });
    return owners;
  }
}
