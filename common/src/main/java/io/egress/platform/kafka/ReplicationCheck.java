package io.egress.platform.kafka;

import static java.util.stream.Collectors.joining;

import java.util.ArrayList;
import java.util.Collection;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import java.util.TreeSet;
import java.util.concurrent.ExecutionException;
import org.apache.kafka.clients.admin.Admin;
import org.apache.kafka.clients.admin.ConfigEntry;
import org.apache.kafka.clients.admin.TopicDescription;
import org.apache.kafka.common.KafkaFuture;
import org.apache.kafka.common.Node;
import org.apache.kafka.common.TopicPartitionInfo;
import org.apache.kafka.common.config.ConfigResource;
import org.apache.kafka.common.config.TopicConfig;
import org.apache.kafka.common.errors.AuthorizationException;
import org.apache.kafka.common.errors.UnknownTopicOrPartitionException;

/** Finds topics that lose records with a broker although there are others, and what mends them. */
final class ReplicationCheck {
  private static final String OFFSETS = "__consumer_offsets";

  private final Admin admin;
  private final String bootstrap;
  private final List<Integer> brokers;
  private final Replication wanted;

  private ReplicationCheck(Admin admin, String bootstrap, List<Integer> brokers) {
    this.admin = admin;
    this.bootstrap = bootstrap;
    this.brokers = List.copyOf(brokers);
    this.wanted = Replication.byBrokers(brokers.size());
  }

  /** Includes the topic of committed offsets, if it may be seen. */
  static List<String> weaknesses(Admin admin, String bootstrap, Collection<String> topics)
      throws ExecutionException, InterruptedException {
    List<Integer> brokers =
        admin.describeCluster().nodes().get().stream().map(Node::id).sorted().toList();
    if (brokers.size() < 2) {
      return List.of();
    }
    Set<String> names = new TreeSet<>(topics);
    names.add(OFFSETS);
    return new ReplicationCheck(admin, bootstrap, brokers).weaknesses(names);
  }

  private List<String> weaknesses(Set<String> names)
      throws ExecutionException, InterruptedException {
    Map<String, TopicDescription> described =
        visible(new TreeMap<>(admin.describeTopics(names).topicNameValues()));
    List<String> weaknesses = new ArrayList<>();
    List<TopicDescription> thin = described.values().stream().filter(this::isThin).toList();
    if (!thin.isEmpty()) {
      weaknesses.add(
          "fewer than %d replicas, so that the loss of a broker loses records: %s; to mend it: %s"
              .formatted(wanted.factor(), names(thin), reassignment(thin)));
    }
    List<String> hasty = hasty(described.keySet());
    if (!hasty.isEmpty()) {
      weaknesses.add(
          "min.insync.replicas is below %d, so that acknowledged records may be on one broker only: %s;"
                  .formatted(wanted.minInsync(), String.join(", ", hasty))
              + " to mend it, once there are enough replicas: for topic in %s; do kafka-configs.sh"
                  .formatted(String.join(" ", hasty))
              + " --bootstrap-server %s --alter --entity-type topics --entity-name $topic"
                  .formatted(bootstrap)
              + " --add-config min.insync.replicas=%d; done".formatted(wanted.minInsync()));
    }
    return weaknesses;
  }

  private boolean isThin(TopicDescription topic) {
    return topic.partitions().stream().anyMatch(this::isThin);
  }

  private boolean isThin(TopicPartitionInfo partition) {
    return partition.replicas().size() < wanted.factor();
  }

  private static String names(List<TopicDescription> topics) {
    return topics.stream().map(TopicDescription::name).collect(joining(", "));
  }

  private String reassignment(List<TopicDescription> topics) {
    String partitions =
        topics.stream()
            .flatMap(topic ->
                topic.partitions().stream()
                    .filter(this::isThin)
                    .map(each ->
                        "{\"topic\":\"%s\",\"partition\":%d,\"replicas\":%s}"
                            .formatted(topic.name(), each.partition(), replicas(each))))
            .collect(joining(","));
    return "echo '{\"version\":1,\"partitions\":[%s]}' > replicas.json && kafka-reassign-partitions.sh"
            .formatted(partitions)
        + " --bootstrap-server %s --reassignment-json-file replicas.json --execute"
            .formatted(bootstrap);
  }

  /** The present ones, and others from the one after the partition's number on. */
  private List<Integer> replicas(TopicPartitionInfo partition) {
    List<Integer> replicas = new ArrayList<>();
    partition.replicas().forEach(each -> replicas.add(each.id()));
    for (int i = 0; replicas.size() < wanted.factor(); i++) {
      int broker = brokers.get((partition.partition() + i) % brokers.size());
      if (!replicas.contains(broker)) {
        replicas.add(broker);
      }
    }
    return replicas;
  }

  private List<String> hasty(Collection<String> names)
      throws ExecutionException, InterruptedException {
    Map<String, KafkaFuture<org.apache.kafka.clients.admin.Config>> configs = new TreeMap<>();
    admin
        .describeConfigs(
            names.stream()
                .map(name -> new ConfigResource(ConfigResource.Type.TOPIC, name))
                .toList())
        .values()
        .forEach((resource, config) -> configs.put(resource.name(), config));
    List<String> hasty = new ArrayList<>();
    visible(configs)
        .forEach((name, config) -> {
          ConfigEntry entry = config.get(TopicConfig.MIN_IN_SYNC_REPLICAS_CONFIG);
          if (entry != null && Integer.parseInt(entry.value()) < wanted.minInsync()) {
            hasty.add(name);
          }
        });
    return hasty;
  }

  /** Without those that do not exist, or that this user may not see. */
  private static <T> Map<String, T> visible(Map<String, KafkaFuture<T>> answers)
      throws ExecutionException, InterruptedException {
    Map<String, T> visible = new TreeMap<>();
    for (Map.Entry<String, KafkaFuture<T>> answer : new HashMap<>(answers).entrySet()) {
      try {
        visible.put(answer.getKey(), answer.getValue().get());
      } catch (ExecutionException failure) {
        if (!(failure.getCause() instanceof UnknownTopicOrPartitionException)
            && !(failure.getCause() instanceof AuthorizationException)) {
          throw failure;
        }
      }
    }
    return visible;
  }
}
