package io.egress.dispatcher;

import io.egress.dispatcher.metrics.ConsumerLag;
import io.egress.dispatcher.metrics.Stages;
import io.egress.kafka.Brokers;
import io.egress.kafka.TopicAdmin;
import io.egress.kafka.Topics;
import io.egress.metrics.Metrics;
import io.egress.settings.Durations;
import io.egress.settings.RetrySchedule;
import io.egress.settings.Settings;
import io.vertx.core.Future;
import io.vertx.core.Vertx;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import java.util.stream.Collectors;

/**
 * The topics that deliveries are found in.
 *
 * @param read all that may hold deliveries to be attempted
 * @param partitions of each of them
 */
record DeliveryTopics(Set<String> read, int partitions) {
  DeliveryTopics {
    read = Set.copyOf(read);
  }

  /** What metrics call them. */
  Set<String> stages(Settings settings) {
    Stages stages = new Stages(new Topics(settings.kafka().topicPrefix()));
    return read.stream().map(stages::of).collect(Collectors.toSet());
  }

  /** Of these and of the topic of captures. */
  ConsumerLag lag(Vertx vertx, Settings settings, Brokers brokers, Metrics metrics) {
    Topics topics = new Topics(settings.kafka().topicPrefix());
    Set<String> watched = new HashSet<>(read);
    watched.add(topics.capturesProcessed());
    List<String> groups = List.of(topics.fanOutGroup(), topics.dispatcherGroup());
    return new ConsumerLag(vertx, brokers, metrics, watched, groups);
  }

  /**
   * Makes those that are missing; completes with all that are to be read. Retry topics that are
   * there belong to them whatever the schedule says today: what was put there under an earlier one
   * is still due some time.
   */
  static Future<DeliveryTopics> ensure(Vertx vertx, Settings settings) {
    Topics topics = new Topics(settings.kafka().topicPrefix());
    Set<String> read = new HashSet<>();
    read.add(topics.deliveries());
    read.add(topics.backfill());
    read.add(topics.parked());
    RetrySchedule schedule = settings.dispatcher().retrySchedule();
    schedule.delays().forEach(delay -> read.add(topics.retry(Durations.format(delay))));
    List<String> needed = new ArrayList<>(read);
    needed.add(topics.capturesProcessed());
    needed.add(topics.exhausted());
    return TopicAdmin.ensure(vertx, settings.kafka(), needed)
        .compose(made -> TopicAdmin.startingWith(vertx, settings.kafka(), topics.retry("")))
        .compose(
            existing -> {
              read.addAll(existing);
              return TopicAdmin.partitions(vertx, settings.kafka(), topics.backfill());
            })
        .map(partitions -> new DeliveryTopics(read, partitions));
  }
}
