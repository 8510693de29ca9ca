package io.egress.embedded;

import static java.util.Objects.requireNonNull;

import java.util.Map;

/**
 * A further listener of an embedded broker, on a port of its own.
 *
 * @param name in capitals
 * @param protocol as Kafka names it, such as {@code SASL_SSL}
 * @param settings of this listener alone, without its prefix
 */
public record BrokerListener(String name, String protocol, Map<String, String> settings) {
  public BrokerListener {
    requireNonNull(name, "name is null");
    requireNonNull(protocol, "protocol is null");
    settings = Map.copyOf(settings);
  }
}
