package io.egress.endpoint;

import org.jspecify.annotations.Nullable;

/** The most attempts that an endpoint gets; null where its owner set none. */
public record EndpointLimits(@Nullable Integer maxPerSecond, @Nullable Integer maxInFlight) {
  public static final EndpointLimits NONE = new EndpointLimits(null, null);
  public static final int PER_SECOND_MAX = 10_000;

  /** As many as any endpoint gets at a time. */
  public static final int IN_FLIGHT_MAX = 64;
}
