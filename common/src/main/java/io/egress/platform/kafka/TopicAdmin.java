package io.egress.platform.kafka;

import io.vertx.core.Future;
import io.vertx.core.Vertx;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Collection;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.stream.Collectors;
import org.apache.kafka.clients.admin.Admin;
import org.apache.kafka.clients.admin.Config;
import org.apache.kafka.clients.admin.ListOffsetsResult;
import org.apache.kafka.clients.admin.NewTopic;
import org.apache.kafka.clients.admin.OffsetSpec;
import org.apache.kafka.common.KafkaFuture;
import org.apache.kafka.common.TopicPartition;
import org.apache.kafka.common.config.ConfigResource;
import org.apache.kafka.common.config.TopicConfig;
import org.apache.kafka.common.errors.AuthorizationException;
import org.apache.kafka.common.errors.TimeoutException;
import org.apache.kafka.common.errors.TopicExistsException;
import org.apache.kafka.common.errors.UnknownTopicOrPartitionException;
import org.apache.kafka.common.record.TimestampType;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** Creates missing topics; never changes an existing one. */
public final class TopicAdmin {
  private static final Logger log = LoggerFactory.getLogger(TopicAdmin.class);
  private static final String API_TIMEOUT_MS = "10000";
  private static final long KNOWN_PERIOD_MS = 200;
  private static final int KNOWN_TRIES_MAX = 50;

  /** More than most clusters have brokers. */
  private static final int DISPOSABLE_PARTITIONS_MAX = 12;

  private static final Duration DISPOSABLE_RETENTION = Duration.ofHours(1);
  private static final Duration DISPOSABLE_SEGMENT = Duration.ofMinutes(10);

  @FunctionalInterface
  private interface Administration {
    void with(Admin admin) throws ExecutionException, InterruptedException;
  }

  private TopicAdmin() {}

  /**
   * Copartitioned topics get as many partitions as the existing ones; fails if these do not agree,
   * before anything is created.
   *
   * <p>Completes when every partition has a leader. If a producer sends earlier, the first of
   * several batches may be rejected and a later one accepted; brokers without the fix of
   * KAFKA-15591 then reject the first one until it expires.
   */
  public static Future<Void> ensure(Vertx vertx, KafkaSettings settings, List<NeededTopic> topics) {
    return create(vertx, settings, topics)
        .compose(_ -> onceKnown(vertx, settings, admin -> awaitAnswers(admin, topics)));
  }

  /** The same, without waiting until they can be used. */
  static Future<Void> create(Vertx vertx, KafkaSettings settings, List<NeededTopic> topics) {
    return administer(vertx, settings, admin -> create(admin, settings.topics(), topics));
  }

  /** Fails with {@link UnfitTopicsException} if a topic would lose or strand records. */
  public static Future<Void> requireFit(
      Vertx vertx, KafkaSettings settings, List<NeededTopic> topics) {
    return onceKnown(vertx, settings, admin -> requireFit(admin, topics));
  }

  /**
   * Why records may be lost with a broker although there are others, and the commands that mend it.
   */
  public static Future<List<String>> weaknesses(
      Vertx vertx, KafkaSettings settings, Collection<String> topics) {
    return vertx.executeBlocking(
        () -> {
          try (Admin admin = open(settings)) {
            return ReplicationCheck.weaknesses(admin, settings.bootstrap(), topics);
          }
        },
        false);
  }

  /** The existing topics whose names begin with {@code start}. */
  public static Future<Set<String>> startingWith(
      Vertx vertx, KafkaSettings settings, String start) {
    return vertx.executeBlocking(
        () -> {
          try (Admin admin = open(settings)) {
            return admin.listTopics().names().get().stream()
                .filter(name -> name.startsWith(start))
                .collect(Collectors.toSet());
          }
        },
        false);
  }

  /** The number of partitions of a topic. */
  public static Future<Integer> partitions(Vertx vertx, KafkaSettings settings, String topic) {
    return vertx.executeBlocking(
        () -> {
          try (Admin admin = open(settings)) {
            return partitions(admin, List.of(topic)).values().iterator().next();
          }
        },
        false);
  }

  /** The same of a topic that was just created. */
  static Future<Integer> partitionsOnceKnown(Vertx vertx, KafkaSettings settings, String topic) {
    AtomicInteger count = new AtomicInteger();
    return onceKnown(
            vertx,
            settings,
            admin -> partitions(admin, List.of(topic)).values().forEach(count::set))
        .map(_ -> count.get());
  }

  /** A new topic may not be known to all brokers yet. */
  private static Future<Void> onceKnown(Vertx vertx, KafkaSettings settings, Administration work) {
    return onceKnown(vertx, settings, work, KNOWN_TRIES_MAX);
  }

  private static Future<Void> onceKnown(
      Vertx vertx, KafkaSettings settings, Administration work, int tries) {
    return administer(vertx, settings, work)
        .recover(failure ->
            failure.getCause() instanceof UnknownTopicOrPartitionException && tries > 1
                ? vertx
                    .timer(KNOWN_PERIOD_MS, TimeUnit.MILLISECONDS)
                    .compose(_ -> onceKnown(vertx, settings, work, tries - 1))
                : Future.failedFuture(failure));
  }

  private static Future<Void> administer(Vertx vertx, KafkaSettings settings, Administration work) {
    return vertx.executeBlocking(
        () -> {
          try (Admin admin = open(settings)) {
            work.with(admin);
          }
          return null;
        },
        false);
  }

  static Admin open(KafkaSettings settings) {
    Map<String, Object> properties = new HashMap<>(ConnectionProperties.of(settings));
    properties.put("default.api.timeout.ms", API_TIMEOUT_MS);
    properties.put("request.timeout.ms", API_TIMEOUT_MS);
    return Admin.create(properties);
  }

  private static Map<String, Integer> partitions(Admin admin, Collection<String> topics)
      throws ExecutionException, InterruptedException {
    Map<String, Integer> partitions = new HashMap<>();
    admin
        .describeTopics(topics)
        .allTopicNames()
        .get()
        .forEach((name, topic) -> partitions.put(name, topic.partitions().size()));
    return partitions;
  }

  private static void create(Admin admin, TopicSettings settings, List<NeededTopic> topics)
      throws ExecutionException, InterruptedException {
    Set<String> existing = admin.listTopics().names().get();
    List<NeededTopic> missing =
        topics.stream().filter(topic -> !existing.contains(topic.name())).toList();
    if (missing.isEmpty()) {
      return;
    }
    int copartitions =
        copartitions(
                admin, topics.stream().filter(topic -> existing.contains(topic.name())).toList())
            .orElse(settings.partitions());
    Replication replication = Replication.byBrokers(admin.describeCluster().nodes().get().size());
    for (NeededTopic topic : missing) {
      int partitions = topic.copartitioned() ? copartitions : settings.partitions();
      create(
          admin,
          topic.disposable() ? Math.min(DISPOSABLE_PARTITIONS_MAX, partitions) : partitions,
          replication,
          topic,
          topic.disposable() ? DISPOSABLE_RETENTION : TopicSettings.RETENTION);
    }
  }

  /** Does not wait forever for a partition without a leader: the others have work to do. */
  private static void awaitAnswers(Admin admin, List<NeededTopic> topics)
      throws ExecutionException, InterruptedException {
    Map<TopicPartition, OffsetSpec> questions = new HashMap<>();
    partitions(admin, topics.stream().map(NeededTopic::name).toList())
        .forEach((topic, count) -> {
          for (int partition = 0; partition < count; partition++) {
            questions.put(new TopicPartition(topic, partition), OffsetSpec.latest());
          }
        });
    ListOffsetsResult answers = admin.listOffsets(questions);
    try {
      answers.all().get();
    } catch (ExecutionException failure) {
      if (!(failure.getCause() instanceof TimeoutException)) {
        throw failure;
      }
      log.warn(
          "Partitions without an available leader are ignored: {}",
          questions.keySet().stream()
              .filter(partition -> !hasAnswered(answers.partitionResult(partition)))
              .map(TopicPartition::toString)
              .sorted()
              .toList());
    }
  }

  private static boolean hasAnswered(KafkaFuture<?> answer) {
    return answer.isDone() && !answer.isCompletedExceptionally();
  }

  private static Optional<Integer> copartitions(Admin admin, List<NeededTopic> existing)
      throws ExecutionException, InterruptedException {
    Map<String, Integer> partitions = partitions(admin, copartitioned(existing));
    requireNone(TopicRules.partitionFaults(partitions));
    return partitions.values().stream().findFirst();
  }

  private static void create(
      Admin admin, int count, Replication replication, NeededTopic needed, Duration retention)
      throws ExecutionException, InterruptedException {
    Map<String, String> configs = new HashMap<>();
    configs.put(TopicConfig.CLEANUP_POLICY_CONFIG, TopicConfig.CLEANUP_POLICY_DELETE);
    // Whoever is wrong about the time then has no records refused, or deleted early.
    configs.put(
        TopicConfig.MESSAGE_TIMESTAMP_TYPE_CONFIG, TimestampType.LOG_APPEND_TIME.toString());
    configs.put(
        TopicConfig.RETENTION_MS_CONFIG,
        Long.toString(needed.longestWait().plus(retention).toMillis()));
    configs.put(TopicConfig.MIN_IN_SYNC_REPLICAS_CONFIG, Integer.toString(replication.minInsync()));
    if (needed.disposable()) {
      configs.put(TopicConfig.SEGMENT_MS_CONFIG, Long.toString(DISPOSABLE_SEGMENT.toMillis()));
    }
    NewTopic topic =
        new NewTopic(needed.name(), count, (short) replication.factor()).configs(configs);
    try {
      admin.createTopics(List.of(topic)).all().get();
    } catch (ExecutionException failure) {
      if (!(failure.getCause() instanceof TopicExistsException)) {
        throw failure;
      }
    }
  }

  private static void requireFit(Admin admin, List<NeededTopic> topics)
      throws ExecutionException, InterruptedException {
    List<String> faults =
        new ArrayList<>(TopicRules.partitionFaults(partitions(admin, copartitioned(topics))));
    try {
      Map<ConfigResource, Config> configs =
          admin.describeConfigs(topics.stream().map(TopicAdmin::resource).toList()).all().get();
      for (NeededTopic topic : topics) {
        Config config = configs.get(resource(topic));
        if (config != null) {
          faults.addAll(TopicRules.configFaults(topic, config));
        }
      }
    } catch (ExecutionException failure) {
      if (!(failure.getCause() instanceof AuthorizationException)) {
        throw failure;
      }
      log.warn(
          "Cannot check the retention of topics, for lack of permission: {}",
          failure.getCause().toString());
    }
    requireNone(faults.stream().sorted().toList());
  }

  private static ConfigResource resource(NeededTopic topic) {
    return new ConfigResource(ConfigResource.Type.TOPIC, topic.name());
  }

  private static List<String> copartitioned(List<NeededTopic> topics) {
    return topics.stream().filter(NeededTopic::copartitioned).map(NeededTopic::name).toList();
  }

  private static void requireNone(List<String> faults) {
    if (!faults.isEmpty()) {
      throw new UnfitTopicsException(faults);
    }
  }
}
