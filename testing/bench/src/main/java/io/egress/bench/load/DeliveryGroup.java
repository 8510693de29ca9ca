package io.egress.bench.load;

import io.egress.platform.kafka.ConnectionProperties;
import io.egress.platform.kafka.KafkaSettings;
import io.egress.platform.lifecycle.RunningProcess;
import io.egress.webhook.queue.Topics;
import io.vertx.core.Future;
import java.time.Duration;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.TimeUnit;
import java.util.stream.Collectors;
import org.apache.kafka.clients.admin.Admin;
import org.apache.kafka.clients.admin.ConsumerGroupDescription;
import org.apache.kafka.clients.admin.MemberDescription;
import org.apache.kafka.common.GroupState;
import org.apache.kafka.common.errors.GroupIdNotFoundException;

/** The partitions of the deliveries owned by each member of the dispatchers' consumer group. */
final class DeliveryGroup implements AutoCloseable {
  private static final Duration SETTLED_MAX = Duration.ofMinutes(2);
  private static final long LOOK_MILLIS = 200;

  private final Admin admin;
  private final Topics topics;
  private final int partitions;

  DeliveryGroup(KafkaSettings settings) {
    this.admin = Admin.create(new HashMap<String, Object>(ConnectionProperties.of(settings)));
    this.topics = new Topics(settings.topicPrefix());
    this.partitions = settings.topics().partitions();
  }

  /** Keyed by member, once there are this many members and all partitions are assigned. */
  Map<String, Set<Integer>> settled(int members) throws InterruptedException {
    long end = System.nanoTime() + SETTLED_MAX.toNanos();
    while (System.nanoTime() < end) {
      Map<String, Set<Integer>> owned = owned();
      int together = owned.values().stream().mapToInt(Set::size).sum();
      if (owned.size() == members && together == partitions) {
        return owned;
      }
      TimeUnit.MILLISECONDS.sleep(LOOK_MILLIS);
    }
    throw new IllegalStateException(
        "the group has not settled on %d members: %s".formatted(members, owned()));
  }

  /** Empty while the group rebalances, and before its first member has joined. */
  private Map<String, Set<Integer>> owned() {
    return RunningProcess.await(
        Future.fromCompletionStage(
                admin
                    .describeConsumerGroups(List.of(topics.dispatcherGroup()))
                    .all()
                    .toCompletionStage())
            .map(groups -> owned(groups.values().iterator().next()))
            .recover(DeliveryGroup::nothingWithoutAGroup));
  }

  private Map<String, Set<Integer>> owned(ConsumerGroupDescription group) {
    return group.groupState() == GroupState.STABLE
        ? group.members().stream()
            .collect(Collectors.toMap(MemberDescription::consumerId, this::partitionsOf))
        : Map.of();
  }

  private static Future<Map<String, Set<Integer>>> nothingWithoutAGroup(Throwable failure) {
    boolean noGroup =
        failure instanceof GroupIdNotFoundException
            || failure.getCause() instanceof GroupIdNotFoundException;
    return noGroup ? Future.succeededFuture(Map.of()) : Future.failedFuture(failure);
  }

  private Set<Integer> partitionsOf(MemberDescription member) {
    return member.assignment().topicPartitions().stream()
        .filter(partition -> partition.topic().equals(topics.deliveries()))
        .map(partition -> partition.partition())
        .collect(Collectors.toSet());
  }

  @Override
  public void close() {
    admin.close();
  }
}
