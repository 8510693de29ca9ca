package io.egress.settings;

import static java.util.Objects.requireNonNull;

import java.time.Duration;

/**
 * The configuration of new topics; existing ones are never changed.
 *
 * @param replication -1 leaves the factor to the brokers, and so does minInsyncReplicas
 * @param retention in addition to the delay of a topic's records
 */
public record TopicSettings(
    int partitions, int replication, int minInsyncReplicas, Duration retention) {
  /** How long a record must be retained that cannot be read when it is due. */
  public static final Duration RETENTION_MARGIN = Duration.ofDays(1);

  public static final int LEFT_TO_BROKERS = -1;

  private static final int REPLICAS_MAX = 100;

  public TopicSettings {
    requireNonNull(retention, "retention is null");
  }

  static TopicSettings read(SettingsReader reader) {
    TopicSettings topics =
        new TopicSettings(
            reader.whole("EGRESS_TOPIC_PARTITIONS", 12, 1, 10_000, "partitions of new topics"),
            reader.whole(
                "EGRESS_TOPIC_REPLICATION",
                LEFT_TO_BROKERS,
                LEFT_TO_BROKERS,
                REPLICAS_MAX,
                "replication factor of new topics, -1 for the brokers' default"),
            reader.whole(
                "EGRESS_TOPIC_MIN_INSYNC_REPLICAS",
                LEFT_TO_BROKERS,
                LEFT_TO_BROKERS,
                REPLICAS_MAX,
                "min.insync.replicas of new topics, -1 for the brokers' default"),
            reader.duration(
                "EGRESS_TOPIC_RETENTION",
                "7d",
                RETENTION_MARGIN,
                "how long new topics retain records, in addition to the topic's delay"));
    topics.faults(reader);
    return topics;
  }

  private void faults(SettingsReader reader) {
    if (replication == 0 || minInsyncReplicas == 0) {
      reader.fault(
          (replication == 0 ? "EGRESS_TOPIC_REPLICATION" : "EGRESS_TOPIC_MIN_INSYNC_REPLICAS")
              + ": must be -1 or at least 1, not \"0\"");
    }
    if (replication > 0 && minInsyncReplicas > replication) {
      reader.fault(
          "EGRESS_TOPIC_MIN_INSYNC_REPLICAS: must not be above EGRESS_TOPIC_REPLICATION: nothing"
              + " could be written");
    }
  }
}
