package io.egress.webhook.endpoint;

import io.egress.webhook.endpoint.ClientCertificate.Shown;
import java.time.Instant;
import java.util.List;
import java.util.UUID;
import org.jspecify.annotations.Nullable;

/**
 * An endpoint without its secrets.
 *
 * @param clientCertificate null if it has none of its own
 * @param standardWebhooks whether its webhooks carry the headers of Standard Webhooks, too
 * @param erasures whether it subscribes to capture.erased
 * @param pausedReason {@code requested} or {@code failing}; null unless it is paused
 * @param previousSecretUntil null unless two secrets sign now
 */
public record Endpoint(
    UUID id,
    String url,
    @Nullable String description,
    boolean fullHistory,
    List<String> headerNames,
    EndpointLimits limits,
    @Nullable Shown clientCertificate,
    boolean standardWebhooks,
    boolean erasures,
    boolean paused,
    @Nullable Instant pausedAt,
    @Nullable String pausedReason,
    long createdPosition,
    Instant createdAt,
    @Nullable Instant previousSecretUntil) {
  public Endpoint {
    headerNames = List.copyOf(headerNames);
  }
}
