package io.egress.dispatcher.fanout;

import io.egress.kafka.ConnectionProperties;
import io.egress.settings.KafkaSettings;
import java.util.HashMap;
import java.util.Map;
import org.apache.kafka.clients.consumer.CooperativeStickyAssignor;
import org.apache.kafka.common.serialization.ByteArrayDeserializer;

/** How the topic of captures is consumed. */
final class FanOutConfig {
  private static final String HEARTBEAT_INTERVAL_MS = "1000";
  private static final int POLL_RECORDS_MAX = 500;

  private FanOutConfig() {}

  static Map<String, Object> of(KafkaSettings settings, String group) {
    Map<String, Object> properties = new HashMap<>(ConnectionProperties.of(settings));
    properties.put("group.id", group);
    properties.put("partition.assignment.strategy", CooperativeStickyAssignor.class.getName());
    properties.put("session.timeout.ms", Math.toIntExact(settings.sessionTimeout().toMillis()));
    properties.put("heartbeat.interval.ms", HEARTBEAT_INTERVAL_MS);
    properties.put("max.poll.records", POLL_RECORDS_MAX);
    properties.put("enable.auto.commit", "false");
    properties.put("auto.offset.reset", "earliest");
    properties.put("key.deserializer", ByteArrayDeserializer.class.getName());
    properties.put("value.deserializer", ByteArrayDeserializer.class.getName());
    return properties;
  }
}
