package io.egress.webhook.endpoint;

import static java.util.Objects.requireNonNull;

import io.vertx.core.buffer.Buffer;
import java.time.Instant;
import java.util.List;
import java.util.UUID;
import org.jspecify.annotations.Nullable;

/**
 * An endpoint as needed by fan-out and delivery.
 *
 * @param sealedSecrets those that sign now, newest first; {@link SecretBox} opens them
 * @param sealedHeaders opened by {@link CustomHeaders#open}
 * @param sealedCertificate opened by {@link ClientCertificate#open}
 * @param standardWebhooks whether its webhooks carry the headers of Standard Webhooks, too
 * @param failingSince the start of the current series of failed attempts, if known
 */
public record EndpointTarget(
    UUID id,
    UUID workspaceId,
    String url,
    List<Buffer> sealedSecrets,
    @Nullable Buffer sealedHeaders,
    @Nullable Buffer sealedCertificate,
    EndpointLimits limits,
    boolean standardWebhooks,
    boolean paused,
    boolean deleted,
    long createdPosition,
    @Nullable Instant failingSince) {
  public EndpointTarget {
    requireNonNull(id, "id is null");
    requireNonNull(workspaceId, "workspaceId is null");
    requireNonNull(url, "url is null");
    requireNonNull(limits, "limits is null");
    sealedSecrets = List.copyOf(sealedSecrets);
  }

  /** Whether the endpoint gets the capture at this position live, and not as history. */
  public boolean isLiveAt(long position) {
    return !deleted && createdPosition < position;
  }
}
