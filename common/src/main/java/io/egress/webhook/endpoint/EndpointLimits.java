package io.egress.webhook.endpoint;

import org.jspecify.annotations.Nullable;

/** The limits of attempts to an endpoint; null if not set. */
public record EndpointLimits(@Nullable Integer maxPerSecond, @Nullable Integer maxInFlight) {
  public static final EndpointLimits NONE = new EndpointLimits(null, null);
  public static final int PER_SECOND_MAX = 10_000;

  /** The default number of concurrent attempts. */
  public static final int IN_FLIGHT_MAX = 64;
}
