package io.egress.endpoint;

import static java.util.Objects.requireNonNull;

import io.vertx.core.buffer.Buffer;
import java.util.List;
import java.util.UUID;

/**
 * An endpoint as fan-out and delivery need it.
 *
 * @param sealedSecrets those that sign now, the newest first; {@link SecretBox} opens them
 */
public record EndpointTarget(
    UUID id,
    UUID workspaceId,
    String url,
    List<Buffer> sealedSecrets,
    boolean paused,
    boolean deleted,
    long createdPosition) {
  public EndpointTarget {
    requireNonNull(id, "id is null");
    requireNonNull(workspaceId, "workspaceId is null");
    requireNonNull(url, "url is null");
    sealedSecrets = List.copyOf(sealedSecrets);
  }

  /** Whether the endpoint gets a position as it enters the stream, and not as history. */
  public boolean isLiveAt(long position) {
    return !deleted && createdPosition < position;
  }
}
