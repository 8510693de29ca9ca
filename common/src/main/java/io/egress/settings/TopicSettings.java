package io.egress.settings;

import static java.util.Objects.requireNonNull;

import java.time.Duration;

/**
 * The configuration of new topics; existing ones are never changed.
 *
 * @param replication -1 makes it depend on the number of brokers, and so does minInsyncReplicas
 * @param replicationRequired whether topics must survive the loss of a broker, if there are several
 * @param retention in addition to the delay of a topic's records
 */
public record TopicSettings(
    int partitions,
    int replication,
    int minInsyncReplicas,
    boolean replicationRequired,
    Duration retention) {
  /** How long a record must be retained that cannot be read when it is due. */
  public static final Duration RETENTION_MARGIN = Duration.ofDays(1);

  public static final int BY_BROKERS = -1;

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
                BY_BROKERS,
                BY_BROKERS,
                REPLICAS_MAX,
                "replication factor of new topics; -1: 3, or the number of brokers if there are fewer"),
            reader.whole(
                "EGRESS_TOPIC_MIN_INSYNC_REPLICAS",
                BY_BROKERS,
                BY_BROKERS,
                REPLICAS_MAX,
                "min.insync.replicas of new topics; -1: 2, or 1 with a replication factor of 1"),
            reader.flag(
                "EGRESS_TOPIC_REPLICATION_REQUIRED",
                false,
                "whether a dispatcher refuses to start if topics lose records with one of several brokers;"
                    + " otherwise it logs a warning"),
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
