package io.egress.dispatcher.fanout;

import io.egress.settings.KafkaSettings;
import java.util.Map;
import org.apache.kafka.clients.consumer.CooperativeStickyAssignor;
import org.apache.kafka.common.serialization.ByteArrayDeserializer;

/** How the topic of captures is consumed. */
final class FanOutConfig {
  private static final String SESSION_TIMEOUT_MS = "10000";
  private static final String HEARTBEAT_INTERVAL_MS = "1000";
  private static final int POLL_RECORDS_MAX = 500;

  private FanOutConfig() {}

  static Map<String, Object> of(KafkaSettings settings, String group) {
    return Map.ofEntries(
        Map.entry("bootstrap.servers", settings.bootstrap()),
        Map.entry("group.id", group),
        Map.entry("partition.assignment.strategy", CooperativeStickyAssignor.class.getName()),
        Map.entry("session.timeout.ms", SESSION_TIMEOUT_MS),
        Map.entry("heartbeat.interval.ms", HEARTBEAT_INTERVAL_MS),
        Map.entry("max.poll.records", POLL_RECORDS_MAX),
        Map.entry("enable.auto.commit", "false"),
        Map.entry("auto.offset.reset", "earliest"),
        Map.entry("key.deserializer", ByteArrayDeserializer.class.getName()),
        Map.entry("value.deserializer", ByteArrayDeserializer.class.getName()));
  }
}
