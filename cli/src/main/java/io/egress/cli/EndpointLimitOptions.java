package io.egress.cli;

import io.vertx.core.json.JsonObject;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Option;

/** The rate and concurrency limits of an endpoint. */
final class EndpointLimitOptions {
  private static final String NONE = "none";

  @Option(
      names = "--max-per-second",
      paramLabel = "N",
      description = "most attempts begun per second, from 1 to 10000, or none")
  private @Nullable String maxPerSecond;

  @Option(
      names = "--max-in-flight",
      paramLabel = "N",
      description = "most concurrent attempts, from 1 to 64, or none")
  private @Nullable String maxInFlight;

  void putInto(JsonObject endpoint) {
    put(endpoint, "max_per_second", maxPerSecond);
    put(endpoint, "max_in_flight", maxInFlight);
  }

  private static void put(JsonObject endpoint, String name, @Nullable String value) {
    if (value == null) {
      return;
    }
    try {
      endpoint.put(name, value.equals(NONE) ? null : Integer.valueOf(value));
    } catch (NumberFormatException noNumber) {
      throw new IllegalStateException(
          "--" + name.replace('_', '-') + " takes a number or none, not '" + value + "'", noNumber);
    }
  }
}
