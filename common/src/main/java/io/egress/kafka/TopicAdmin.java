package io.egress.kafka;

import io.egress.settings.KafkaSettings;
import io.vertx.core.Future;
import io.vertx.core.Vertx;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.stream.Collectors;
import org.apache.kafka.clients.admin.Admin;
import org.apache.kafka.clients.admin.NewTopic;
import org.apache.kafka.common.errors.TopicExistsException;
import org.apache.kafka.common.errors.UnknownTopicOrPartitionException;

/** Creates topics that are missing; never touches one that exists. */
public final class TopicAdmin {
  private static final String API_TIMEOUT_MS = "10000";
  private static final long KNOWN_PERIOD_MS = 200;
  private static final int KNOWN_TRIES_MAX = 50;

  private TopicAdmin() {}

  public static Future<Void> ensure(Vertx vertx, KafkaSettings settings, List<String> topics) {
    return vertx.executeBlocking(
        () -> {
          create(settings, topics);
          return null;
        },
        false);
  }

  /** The topics there are whose names begin with {@code start}. */
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

  /** How many partitions a topic has; one made a moment ago may not be known everywhere yet. */
  public static Future<Integer> partitions(Vertx vertx, KafkaSettings settings, String topic) {
    return partitions(vertx, settings, topic, KNOWN_TRIES_MAX);
  }

  private static Future<Integer> partitions(
      Vertx vertx, KafkaSettings settings, String topic, int tries) {
    return vertx
        .executeBlocking(() -> partitions(settings, topic), false)
        .recover(
            failure ->
                failure.getCause() instanceof UnknownTopicOrPartitionException && tries > 1
                    ? vertx
                        .timer(KNOWN_PERIOD_MS, TimeUnit.MILLISECONDS)
                        .compose(later -> partitions(vertx, settings, topic, tries - 1))
                    : Future.failedFuture(failure));
  }

  private static int partitions(KafkaSettings settings, String topic) throws Exception {
    try (Admin admin = open(settings)) {
      return admin
          .describeTopics(List.of(topic))
          .allTopicNames()
          .get()
          .values()
          .iterator()
          .next()
          .partitions()
          .size();
    }
  }

  static Admin open(KafkaSettings settings) {
    return Admin.create(
        Map.of(
            "bootstrap.servers", settings.bootstrap(),
            "default.api.timeout.ms", API_TIMEOUT_MS,
            "request.timeout.ms", API_TIMEOUT_MS));
  }

  private static void create(KafkaSettings settings, List<String> topics) throws Exception {
    try (Admin admin = open(settings)) {
      Set<String> existing = admin.listTopics().names().get();
      for (String topic : topics) {
        if (!existing.contains(topic)) {
          create(admin, settings, topic);
        }
      }
    }
  }

  private static void create(Admin admin, KafkaSettings settings, String topic) throws Exception {
    Optional<Short> replication =
        settings.replication() < 0 ? Optional.empty() : Optional.of(settings.replication());
    try {
      admin
          .createTopics(
              List.of(new NewTopic(topic, Optional.of(settings.partitions()), replication)))
          .all()
          .get();
    } catch (ExecutionException failure) {
      if (!(failure.getCause() instanceof TopicExistsException)) {
        throw failure;
      }
    }
  }
}
