package io.egress.endpoint;

import static java.util.Objects.requireNonNull;

import io.vertx.core.buffer.Buffer;
import java.util.UUID;

/** An endpoint as fan-out and delivery need it. The secret is opened by {@link SecretBox}. */
public record EndpointTarget(
    UUID id,
    UUID workspaceId,
    String url,
    Buffer sealedSecret,
    boolean paused,
    boolean deleted,
    long createdPosition) {
  public EndpointTarget {
    requireNonNull(id, "id is null");
    requireNonNull(workspaceId, "workspaceId is null");
    requireNonNull(url, "url is null");
    requireNonNull(sealedSecret, "sealedSecret is null");
  }

  /** Whether the endpoint gets a position as it enters the stream, and not as history. */
  public boolean isLiveAt(long position) {
    return !deleted && createdPosition < position;
  }
}
