package io.egress.platform.kafka;

import java.util.HashMap;
import java.util.Map;

/**
 * The settings common to all Kafka clients: producers, consumers and admin clients. Kafka's clients
 * mask the secrets in here when they log their configuration.
 */
public final class ConnectionProperties {
  /** How soon a client notices partitions added by an operator. */
  private static final String METADATA_AGE_MAX_MS = "10000";

  /**
   * A host that vanished does not reset its connections: a request to it ends after this time, and
   * the next one goes to another broker. Kafka's own 30 s are longer than a failover takes.
   */
  private static final String REQUEST_TIMEOUT_MS = "5000";

  private static final String CONNECT_TIMEOUT_MS = "2000";
  private static final String CONNECT_TIMEOUT_MAX_MS = "5000";

  /** How soon a client notices that a broker is back; Kafka's own is 1 s. */
  private static final String BACKOFF_MAX_MS = "500";

  private ConnectionProperties() {}

  /** A new map, which the caller may change. */
  public static Map<String, String> of(KafkaSettings settings) {
    Map<String, String> properties = new HashMap<>(settings.properties().values());
    properties.put("bootstrap.servers", settings.bootstrap());
    properties.put("metadata.max.age.ms", METADATA_AGE_MAX_MS);
    properties.put("request.timeout.ms", REQUEST_TIMEOUT_MS);
    properties.put("socket.connection.setup.timeout.ms", CONNECT_TIMEOUT_MS);
    properties.put("socket.connection.setup.timeout.max.ms", CONNECT_TIMEOUT_MAX_MS);
    properties.put("reconnect.backoff.max.ms", BACKOFF_MAX_MS);
    properties.put("retry.backoff.max.ms", BACKOFF_MAX_MS);
    return properties;
  }
}
