package io.egress.webhook.endpoint;

import org.jspecify.annotations.Nullable;

/** The limits of attempts to an endpoint; null if not set. */
public record EndpointLimits(@Nullable Integer maxPerSecond, @Nullable Integer maxInFlight) {
  public static final EndpointLimits NONE = new EndpointLimits(null, null);
}
