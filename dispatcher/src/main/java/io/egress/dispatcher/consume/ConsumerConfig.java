package io.egress.dispatcher.consume;

import io.egress.kafka.ConnectionProperties;
import io.egress.settings.KafkaSettings;
import java.util.HashMap;
import java.util.Map;
import org.apache.kafka.common.serialization.ByteArrayDeserializer;

/** How delivery topics are consumed. */
final class ConsumerConfig {
  /** Records a poll may bring: less than what fits above the mark at which reading pauses. */
  static final int POLL_RECORDS_MAX = 500;

  /** Workers learn of a rebalance with a heartbeat. */
  private static final String HEARTBEAT_INTERVAL_MS = "1000";

  /** A resumed partition may have to wait for a fetch without it. */
  private static final String FETCH_WAIT_MAX_MS = "100";

  /**
   * A few hundred records. What is fetched of a partition is read before anything of the next, so
   * with more of it the endpoints that get a capture would come to it at very different times, and
   * share neither its reading nor its inflating.
   */
  private static final String PARTITION_FETCH_BYTES_MAX = "65536";

  private ConsumerConfig() {}

  static Map<String, Object> of(KafkaSettings settings, String group) {
    Map<String, Object> properties = new HashMap<>(ConnectionProperties.of(settings));
    properties.put("group.id", group);
    properties.put("partition.assignment.strategy", CooperativeRangeAssignor.class.getName());
    properties.put("session.timeout.ms", Math.toIntExact(settings.sessionTimeout().toMillis()));
    properties.put("heartbeat.interval.ms", HEARTBEAT_INTERVAL_MS);
    properties.put("fetch.max.wait.ms", FETCH_WAIT_MAX_MS);
    properties.put("max.partition.fetch.bytes", PARTITION_FETCH_BYTES_MAX);
    properties.put("max.poll.records", POLL_RECORDS_MAX);
    properties.put("enable.auto.commit", "false");
    properties.put("auto.offset.reset", "earliest");
    properties.put("key.deserializer", ByteArrayDeserializer.class.getName());
    properties.put("value.deserializer", ByteArrayDeserializer.class.getName());
    return properties;
  }
}
