package io.egress.platform.kafka;

import io.egress.platform.environment.SettingsReader;
import java.time.Duration;

/**
 * The configuration of new topics; existing ones are never changed.
 *
 * @param replicationRequired whether topics must survive the loss of a broker, if there are several
 */
public record TopicSettings(int partitions, boolean replicationRequired) {
  /** How long a record must be retained that cannot be read when it is due. */
  public static final Duration RETENTION_MARGIN = Duration.ofDays(1);

  /** How long new topics retain records, in addition to their delay. */
  public static final Duration RETENTION = Duration.ofDays(7);

  static TopicSettings read(SettingsReader reader) {
    return new TopicSettings(
        reader.whole("EGRESS_TOPIC_PARTITIONS", 12, 1, 10_000, "partitions of new topics"),
        reader.flag(
            "EGRESS_TOPIC_REPLICATION_REQUIRED",
            false,
            "whether a dispatcher refuses to start if topics lose records with one of several brokers;"
                + " otherwise it logs a warning"));
  }
}
