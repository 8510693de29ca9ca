package io.egress.platform.kafka;

import io.egress.platform.environment.Durations;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.stream.Collectors;
import org.apache.kafka.clients.admin.Config;
import org.apache.kafka.clients.admin.ConfigEntry;
import org.apache.kafka.common.config.TopicConfig;

/** The requirements on topics, so that no record is lost or stranded. */
final class TopicRules {
  private TopicRules() {}

  /** How long a topic must retain its records. */
  static Duration retentionNeeded(NeededTopic topic) {
    return topic.longestWait().plus(TopicSettings.RETENTION_MARGIN);
  }

  /** Returns the reason why the numbers of partitions do not match, if there is one. */
  static List<String> partitionFaults(Map<String, Integer> copartitioned) {
    if (copartitioned.values().stream().distinct().count() <= 1) {
      return List.of();
    }
    int most = copartitioned.values().stream().mapToInt(Integer::intValue).max().orElseThrow();
    String found =
        new TreeMap<>(copartitioned)
            .entrySet().stream()
                .map(topic -> topic.getKey() + " has " + topic.getValue())
                .collect(Collectors.joining(", "));
    return List.of(
        "the topics that hold deliveries must have the same number of partitions, or one endpoint's"
            + " deliveries come to different workers; raise those that have fewer to "
            + most
            + " (kafka-topics.sh --alter --topic NAME --partitions "
            + most
            + "): "
            + found);
  }

  static List<String> configFaults(NeededTopic topic, Config config) {
    List<String> faults = new ArrayList<>();
    ConfigEntry cleanup = config.get(TopicConfig.CLEANUP_POLICY_CONFIG);
    if (cleanup != null && cleanup.value().contains(TopicConfig.CLEANUP_POLICY_COMPACT)) {
      faults.add(
          "topic %s has cleanup.policy=%s, which deletes all but the last record of a key: it must be delete"
              .formatted(topic.name(), cleanup.value()));
    }
    ConfigEntry retention = config.get(TopicConfig.RETENTION_MS_CONFIG);
    if (retention != null) {
      long millis = Long.parseLong(retention.value());
      Duration needed = retentionNeeded(topic);
      if (millis >= 0 && millis < needed.toMillis()) {
        faults.add(
            ("topic %s keeps records for %s (retention.ms=%d), which are due up to %s after they are"
                    + " written: at least %s are needed (retention.ms=%d)")
                .formatted(
                    topic.name(),
                    Durations.format(Duration.ofMillis(millis)),
                    millis,
                    Durations.format(topic.longestWait()),
                    Durations.format(needed),
                    needed.toMillis()));
      }
    }
    return faults;
  }
}
