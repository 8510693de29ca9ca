package io.egress.settings;

import static java.util.Objects.requireNonNull;

import java.time.Duration;

/** Settings of Kafka: brokers, security, and names of topics. */
public record KafkaSettings(
    String bootstrap,
    String topicPrefix,
    TopicSettings topics,
    KafkaSecurity security,
    Duration sessionTimeout) {
  private static final String DEFAULT_SESSION_TIMEOUT = "6s";

  /** Three heartbeats. */
  private static final Duration SESSION_TIMEOUT_MIN = Duration.ofSeconds(3);

  public KafkaSettings {
    requireNonNull(bootstrap, "bootstrap is null");
    requireNonNull(topicPrefix, "topicPrefix is null");
    requireNonNull(topics, "topics is null");
    requireNonNull(security, "security is null");
    requireNonNull(sessionTimeout, "sessionTimeout is null");
  }

  static KafkaSettings read(SettingsReader reader) {
    String bootstrap =
        reader.required("EGRESS_KAFKA_BOOTSTRAP", "Kafka brokers, as host:port[,host:port]");
    KafkaSecurity security = KafkaSecurity.read(reader);
    Duration sessionTimeout =
        reader.duration(
            "EGRESS_KAFKA_SESSION_TIMEOUT",
            DEFAULT_SESSION_TIMEOUT,
            SESSION_TIMEOUT_MIN,
            "how long a killed worker keeps its partitions; below 6s only if the brokers allow it");
    String prefix =
        reader.parsed(
            "EGRESS_TOPIC_PREFIX",
            "egress.",
            "prefix of the topics' names",
            KafkaSettings::topicPrefix);
    return new KafkaSettings(
        bootstrap, prefix, TopicSettings.read(reader), security, sessionTimeout);
  }

  private static String topicPrefix(String text) {
    if (!text.matches("[a-zA-Z0-9._-]{1,100}")) {
      throw new IllegalArgumentException("must be 1 to 100 of the characters a-z A-Z 0-9 . _ -");
    }
    return text;
  }
}
