package io.egress.dispatcher;

import io.egress.dispatcher.lane.LaneSettings;
import io.egress.dispatcher.metrics.ConsumerLag;
import io.egress.dispatcher.metrics.Stages;
import io.egress.platform.environment.Durations;
import io.egress.platform.kafka.Brokers;
import io.egress.platform.kafka.KafkaSettings;
import io.egress.platform.kafka.NeededTopic;
import io.egress.platform.kafka.TopicAdmin;
import io.egress.platform.kafka.UnfitTopicsException;
import io.egress.platform.metrics.Metrics;
import io.egress.platform.outage.Startup;
import io.egress.settings.Settings;
import io.egress.webhook.queue.Topics;
import io.vertx.core.Future;
import io.vertx.core.Vertx;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import java.util.stream.Collectors;
import org.apache.kafka.common.errors.InvalidReplicationFactorException;
import org.apache.kafka.common.errors.RetriableException;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * The topics that contain deliveries.
 *
 * @param read all that may contain deliveries to attempt
 * @param partitions of each of them
 * @param weaknesses why records may be lost with a broker
 */
record DeliveryTopics(Set<String> read, int partitions, List<String> weaknesses) {
  private static final Logger log = LoggerFactory.getLogger(DeliveryTopics.class);

  DeliveryTopics {
    read = Set.copyOf(read);
    weaknesses = List.copyOf(weaknesses);
  }

  /** The names of the topics in metrics. */
  Set<String> stages(Settings settings) {
    Stages stages = new Stages(new Topics(settings.kafka().topicPrefix()));
    return read.stream().map(stages::of).collect(Collectors.toSet());
  }

  /** The lag of these topics and of the topic of processed captures. */
  ConsumerLag lag(Vertx vertx, Settings settings, Brokers brokers, Metrics metrics) {
    Topics topics = new Topics(settings.kafka().topicPrefix());
    Set<String> watched = new HashSet<>(read);
    watched.add(topics.capturesProcessed());
    List<String> groups = List.of(topics.fanOutGroup(), topics.dispatcherGroup());
    return new ConsumerLag(vertx, brokers, metrics, watched, groups);
  }

  /**
   * Creates missing topics and returns all topics to read. Fails if the configuration of one would
   * lose records. Retry topics of former schedules are read, too: their records are still due.
   */
  static Future<DeliveryTopics> ensure(Vertx vertx, Settings settings) {
    return new Startup(vertx, log, "Kafka", DeliveryTopics::isTemporary)
        .await(() -> ensureOnce(vertx, settings));
  }

  /** Of a cluster that starts, fewer brokers may be known than a topic needs replicas. */
  private static boolean isTemporary(@Nullable Throwable failure) {
    return failure != null
        && (failure instanceof RetriableException
            || failure instanceof InvalidReplicationFactorException
            || isTemporary(failure.getCause()));
  }

  private static Future<DeliveryTopics> ensureOnce(Vertx vertx, Settings settings) {
    KafkaSettings kafka = settings.kafka();
    Topics topics = new Topics(kafka.topicPrefix());
    return TopicAdmin.startingWith(vertx, kafka, topics.retry(""))
        .compose(former -> {
          Map<String, NeededTopic> read = new TreeMap<>();
          former.forEach(name -> add(read, name, delay(name, topics)));
          settings
              .dispatcher()
              .retrySchedule()
              .delays()
              .forEach(delay -> add(read, topics.retry(Durations.format(delay)), delay));
          add(read, topics.deliveries(), Duration.ZERO);
          add(read, topics.backfill(), Duration.ZERO);
          add(read, topics.parked(), LaneSettings.defaults().parking().delayMax());
          return ensure(vertx, kafka, topics, read);
        });
  }

  private static Future<DeliveryTopics> ensure(
      Vertx vertx, KafkaSettings kafka, Topics topics, Map<String, NeededTopic> read) {
    List<NeededTopic> consumed = new ArrayList<>(read.values());
    consumed.add(NeededTopic.undelayed(topics.capturesProcessed()));
    List<NeededTopic> all = new ArrayList<>(consumed);
    all.add(NeededTopic.undelayed(topics.exhausted()));
    return TopicAdmin.ensure(vertx, kafka, all)
        .compose(_ -> TopicAdmin.requireFit(vertx, kafka, consumed))
        .compose(_ -> replicated(vertx, kafka, all))
        .compose(weaknesses ->
            TopicAdmin.partitions(vertx, kafka, topics.backfill())
                .map(partitions -> new DeliveryTopics(read.keySet(), partitions, weaknesses)));
  }

  private static Future<List<String>> replicated(
      Vertx vertx, KafkaSettings kafka, List<NeededTopic> all) {
    return TopicAdmin.weaknesses(vertx, kafka, all.stream().map(NeededTopic::name).toList())
        .compose(weaknesses -> {
          if (!weaknesses.isEmpty() && kafka.topics().replicationRequired()) {
            return Future.failedFuture(new UnfitTopicsException(weaknesses));
          }
          weaknesses.forEach(each -> log.warn("Topics can lose records: {}", each));
          return Future.succeededFuture(weaknesses);
        });
  }

  private static void add(Map<String, NeededTopic> topics, String name, Duration wait) {
    topics.put(name, NeededTopic.copartitioned(name, wait));
  }

  /** The delay in the topic's name; zero if it is not a name of the service. */
  private static Duration delay(String name, Topics topics) {
    try {
      return Durations.parse(name.substring(topics.retry("").length()));
    } catch (IllegalArgumentException notOurs) {
      return Duration.ZERO;
    }
  }
}
