package io.egress.platform.kafka;

import io.egress.platform.environment.SettingsReader;
import java.io.IOException;
import java.io.Reader;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Map;
import java.util.Properties;
import java.util.TreeMap;
import org.apache.kafka.clients.admin.AdminClientConfig;
import org.apache.kafka.common.config.ConfigException;

/**
 * Properties of Kafka's clients from a file: how they connect to the brokers. What they do there is
 * the service's business.
 */
public record KafkaProperties(Map<String, String> values) {
  public static final KafkaProperties NONE = new KafkaProperties(Map.of());

  /** Host names of brokers are always verified. */
  private static final String HOST_NAMES = "ssl.endpoint.identification.algorithm";

  private static final String PROTOCOL = "security.protocol";
  private static final String PROVIDERS = "config.providers";

  public KafkaProperties {
    values = Map.copyOf(values);
  }

  static KafkaProperties read(SettingsReader reader) {
    KafkaProperties properties =
        reader.optional(
            "EGRESS_KAFKA_PROPERTIES",
            "file with properties of Kafka's clients: security.protocol, sasl.* and ssl.*, for brokers"
                + " that require TLS or a login",
            KafkaProperties::parse);
    return properties == null ? NONE : properties;
  }

  /** Throws {@link IllegalArgumentException} with a message that shows no value. */
  static KafkaProperties parse(String file) {
    Properties properties = new Properties();
    try (Reader text = Files.newBufferedReader(Path.of(file), StandardCharsets.UTF_8)) {
      properties.load(text);
    } catch (IOException unreadable) {
      throw new IllegalArgumentException(
          file + (Files.exists(Path.of(file)) ? " cannot be read" : " is not there"), unreadable);
    }
    Map<String, String> values = new TreeMap<>();
    for (String name : properties.stringPropertyNames()) {
      check(file, name);
      String value = properties.getProperty(name).strip();
      if (name.endsWith(".location") && !Files.isReadable(Path.of(value))) {
        throw new IllegalArgumentException(
            "%s: the file of %s cannot be read".formatted(file, name));
      }
      values.put(name, value);
    }
    requireUnderstood(file, values);
    return new KafkaProperties(values);
  }

  private static void requireUnderstood(String file, Map<String, String> values) {
    Map<String, String> complete = new TreeMap<>(values);
    complete.put("bootstrap.servers", "");
    try {
      var _ = AdminClientConfig.configDef().parse(complete);
    } catch (ConfigException unusable) {
      throw new IllegalArgumentException(file + ": " + unusable.getMessage(), unusable);
    }
  }

  private static void check(String file, String name) {
    if (name.equals(PROVIDERS) || name.startsWith(PROVIDERS + ".")) {
      return;
    }
    if (name.equals(HOST_NAMES)) {
      throw new IllegalArgumentException(
          "%s: %s cannot be changed: host names are always verified".formatted(file, name));
    }
    if (!name.equals(PROTOCOL) && !name.startsWith("sasl.") && !name.startsWith("ssl.")) {
      throw new IllegalArgumentException(
          "%s: only security.protocol, sasl.* and ssl.* can be set, not %s".formatted(file, name));
    }
    if (!AdminClientConfig.configNames().contains(name)) {
      throw new IllegalArgumentException(
          "%s: Kafka's clients know no property %s".formatted(file, name));
    }
  }

  /** Values contain passwords. */
  @Override
  public String toString() {
    return values.keySet().toString();
  }
}
