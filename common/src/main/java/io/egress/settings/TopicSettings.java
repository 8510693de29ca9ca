package io.egress.settings;

import static java.util.Objects.requireNonNull;

import java.time.Duration;

/**
 * What topics that are created are like. Of those that exist nothing is ever changed.
 *
 * @param replication of -1 leaves the factor to the brokers, as does minInsyncReplicas
 * @param retention beyond the delay that a topic's records wait for
 */
public record TopicSettings(
    int partitions, int replication, int minInsyncReplicas, Duration retention) {
  /** How long a record must survive that cannot be read when it is due. */
  public static final Duration RETENTION_MARGIN = Duration.ofDays(1);

  public static final int LEFT_TO_BROKERS = -1;

  private static final int REPLICAS_MAX = 100;

  public TopicSettings {
    requireNonNull(retention, "retention is null");
  }

  static TopicSettings read(SettingsReader reader) {
    TopicSettings topics =
        new TopicSettings(
            reader.whole(
                "EGRESS_TOPIC_PARTITIONS", 12, 1, 10_000, "partitions of a topic that is created"),
            reader.whole(
                "EGRESS_TOPIC_REPLICATION",
                LEFT_TO_BROKERS,
                LEFT_TO_BROKERS,
                REPLICAS_MAX,
                "replication factor of a topic that is created, -1 for the brokers' default"),
            reader.whole(
                "EGRESS_TOPIC_MIN_INSYNC_REPLICAS",
                LEFT_TO_BROKERS,
                LEFT_TO_BROKERS,
                REPLICAS_MAX,
                "min.insync.replicas of a topic that is created, -1 for the brokers' default"),
            reader.duration(
                "EGRESS_TOPIC_RETENTION",
                "7d",
                RETENTION_MARGIN,
                "how long a topic that is created keeps records beyond the delay they wait for"));
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
