package io.egress.endpoint;

import static java.util.Objects.requireNonNull;

import io.vertx.core.buffer.Buffer;
import java.time.Instant;
import java.util.List;
import java.util.UUID;
import org.jspecify.annotations.Nullable;

/**
 * An endpoint as fan-out and delivery need it.
 *
 * @param sealedSecrets those that sign now, the newest first; {@link SecretBox} opens them
 * @param sealedHeaders {@link CustomHeaders#open} opens them
 * @param failingSince when the first of the attempts began that all failed, if that is known
 */
public record EndpointTarget(
    UUID id,
    UUID workspaceId,
    String url,
    List<Buffer> sealedSecrets,
    @Nullable Buffer sealedHeaders,
    EndpointLimits limits,
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

  /** Whether the endpoint gets a position as it enters the stream, and not as history. */
  public boolean isLiveAt(long position) {
    return !deleted && createdPosition < position;
  }
}
