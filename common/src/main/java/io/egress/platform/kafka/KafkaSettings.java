package io.egress.platform.kafka;

import io.egress.platform.environment.SettingsReader;
import java.time.Duration;

/** Settings of Kafka: brokers, how to connect to them, and names of topics. */
public record KafkaSettings(
    String bootstrap, String topicPrefix, TopicSettings topics, KafkaProperties properties) {
  /** How long a killed worker keeps its partitions: the least that brokers accept by default. */
  public static final Duration SESSION_TIMEOUT = Duration.ofSeconds(6);

  public static KafkaSettings read(SettingsReader reader) {
    String bootstrap =
        reader.required("EGRESS_KAFKA_BOOTSTRAP", "Kafka brokers, as host:port[,host:port]");
    KafkaProperties properties = KafkaProperties.read(reader);
    String prefix =
        reader.parsed(
            "EGRESS_TOPIC_PREFIX",
            "egress.",
            "prefix of the topics' names",
            KafkaSettings::topicPrefix);
    return new KafkaSettings(bootstrap, prefix, TopicSettings.read(reader), properties);
  }

  private static String topicPrefix(String text) {
    if (!text.matches("[a-zA-Z0-9._-]{1,100}")) {
      throw new IllegalArgumentException("must be 1 to 100 of the characters a-z A-Z 0-9 . _ -");
    }
    return text;
  }
}
