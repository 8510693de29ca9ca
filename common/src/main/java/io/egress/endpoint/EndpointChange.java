package io.egress.endpoint;

import java.util.Map;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/**
 * What a change sets. URL and pause stay as they are where null; a description and limits may be
 * set to null.
 *
 * @param headers null where they stay as they are
 */
public record EndpointChange(
    @Nullable String url,
    boolean setsDescription,
    @Nullable String description,
    @Nullable Boolean paused,
    @Nullable HeaderChange headers,
    boolean setsMaxPerSecond,
    boolean setsMaxInFlight,
    EndpointLimits limits) {
  /**
   * What becomes of headers.
   *
   * @param clears whether those before go
   * @param values by names in lower case; an empty value removes its header
   */
  public record HeaderChange(boolean clears, Map<String, Optional<String>> values) {
    public HeaderChange {
      values = Map.copyOf(values);
    }
  }

  public EndpointChange(
      @Nullable String url,
      boolean setsDescription,
      @Nullable String description,
      @Nullable Boolean paused) {
    this(url, setsDescription, description, paused, null, false, false, EndpointLimits.NONE);
  }
}
