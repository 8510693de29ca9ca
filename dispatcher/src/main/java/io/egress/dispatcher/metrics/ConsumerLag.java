package io.egress.dispatcher.metrics;

import io.egress.platform.kafka.Brokers;
import io.egress.platform.lifecycle.Recurring;
import io.egress.platform.metrics.Metrics;
import io.vertx.core.Future;
import io.vertx.core.Vertx;
import java.time.Duration;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import org.apache.kafka.clients.admin.OffsetSpec;
import org.apache.kafka.common.TopicPartition;

/**
 * Reads the lag of each topic from the brokers periodically. The numbers are those of the whole
 * fleet: every dispatcher reports the same.
 */
public final class ConsumerLag {
  private static final Duration PERIOD = Duration.ofSeconds(10);

  private final Brokers brokers;
  private final Set<String> topics;
  private final List<String> groups;
  private final Recurring reading;
  private volatile Map<String, Long> lags = Map.of();

  /** Each topic is consumed by one of the groups. */
  public ConsumerLag(
      Vertx vertx, Brokers brokers, Metrics metrics, Set<String> topics, List<String> groups) {
    this.brokers = brokers;
    this.topics = Set.copyOf(topics);
    this.groups = List.copyOf(groups);
    for (String topic : topics) {
      metrics.gauge(
          "egress_consumer_lag_records",
          "records of the topic that are not committed",
          () -> lag(topic),
          "topic",
          topic);
    }
    this.reading =
        new Recurring(vertx, "reading the lag of consumers", this::read)
            .onFailure(_ -> lags = Map.of())
            .nowAndEvery(PERIOD);
  }

  public void close() {
    reading.close();
  }

  private double lag(String topic) {
    Long lag = lags.get(topic);
    return lag == null ? Double.NaN : lag;
  }

  private void read() {
    lags = lagsOf(brokers.partitions(topics).await());
  }

  /** Committed offsets are read first: records produced in between count as lag. */
  private Map<String, Long> lagsOf(Set<TopicPartition> partitions) {
    List<Future<Map<TopicPartition, Long>>> committed =
        groups.stream().map(brokers::committed).toList();
    Map<TopicPartition, Long> done = new HashMap<>();
    committed.forEach(group -> done.putAll(group.await()));
    Set<TopicPartition> untouched = new HashSet<>(partitions);
    untouched.removeAll(done.keySet());
    if (!untouched.isEmpty()) {
      done.putAll(brokers.offsets(untouched, OffsetSpec.earliest()).await());
    }
    Map<String, Long> sums = new HashMap<>();
    brokers
        .offsets(partitions, OffsetSpec.latest())
        .await()
        .forEach((partition, end) -> {
          long lag = end - done.getOrDefault(partition, end);
          sums.merge(partition.topic(), Math.max(0, lag), Long::sum);
        });
    return sums;
  }
}
