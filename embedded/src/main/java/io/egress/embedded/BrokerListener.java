package io.egress.embedded;

import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * A further listener of an embedded broker, on a port of its own.
 *
 * @param name in capitals
 * @param protocol as Kafka names it, such as {@code SASL_SSL}
 * @param settings of this listener alone, without its prefix
 * @param advertisedPort where clients reach it if not on its own port, such as a proxy's
 */
public record BrokerListener(
    String name, String protocol, Map<String, String> settings, @Nullable Integer advertisedPort) {
  public BrokerListener(String name, String protocol, Map<String, String> settings) {
    this(name, protocol, settings, null);
  }

  public BrokerListener {
    settings = Map.copyOf(settings);
  }
}
