package io.egress.dispatcher.consume;

import io.egress.settings.KafkaSettings;
import java.util.Map;
import org.apache.kafka.common.serialization.ByteArrayDeserializer;

/** How delivery topics are consumed. */
final class ConsumerConfig {
  /** Records a poll may bring: less than what fits above the mark at which reading pauses. */
  static final int POLL_RECORDS_MAX = 500;

  /** A worker that was killed gives its partitions up after this. */
  private static final String SESSION_TIMEOUT_MS = "10000";

  /** Workers learn of a rebalance with a heartbeat. */
  private static final String HEARTBEAT_INTERVAL_MS = "1000";

  /** A resumed partition may have to wait for a fetch without it. */
  private static final String FETCH_WAIT_MAX_MS = "100";

  private ConsumerConfig() {}

  static Map<String, Object> of(KafkaSettings settings, String group) {
    return Map.ofEntries(
        Map.entry("bootstrap.servers", settings.bootstrap()),
        Map.entry("group.id", group),
        Map.entry("partition.assignment.strategy", CooperativeRangeAssignor.class.getName()),
        Map.entry("session.timeout.ms", SESSION_TIMEOUT_MS),
        Map.entry("heartbeat.interval.ms", HEARTBEAT_INTERVAL_MS),
        Map.entry("fetch.max.wait.ms", FETCH_WAIT_MAX_MS),
        Map.entry("max.poll.records", POLL_RECORDS_MAX),
        Map.entry("enable.auto.commit", "false"),
        Map.entry("auto.offset.reset", "earliest"),
        Map.entry("key.deserializer", ByteArrayDeserializer.class.getName()),
        Map.entry("value.deserializer", ByteArrayDeserializer.class.getName()));
  }
}
