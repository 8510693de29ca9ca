package io.egress.webhook.endpoint;

import java.util.Map;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/**
 * A change of an endpoint. A null URL, pause, {@code standardWebhooks} or {@code erasures} is
 * unchanged; description, limits and certificate may be set to null.
 *
 * @param headers null if unchanged
 */
public record EndpointChange(
    @Nullable String url,
    boolean setsDescription,
    @Nullable String description,
    @Nullable Boolean paused,
    @Nullable HeaderChange headers,
    boolean setsMaxPerSecond,
    boolean setsMaxInFlight,
    EndpointLimits limits,
    boolean setsClientCertificate,
    @Nullable ClientCertificate clientCertificate,
    @Nullable Boolean standardWebhooks,
    @Nullable Boolean erasures) {
  /**
   * A change of headers.
   *
   * @param clears whether existing headers are removed
   * @param values keyed by lower-case name; an empty value removes its header
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
    this(
        url,
        setsDescription,
        description,
        paused,
        null,
        false,
        false,
        EndpointLimits.NONE,
        false,
        null,
        null,
        null);
  }
}
