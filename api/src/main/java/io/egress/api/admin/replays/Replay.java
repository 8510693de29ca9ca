package io.egress.api.admin.replays;

import static java.util.Objects.requireNonNull;

import io.egress.webhook.delivery.Delivery.Origin;
import java.time.Instant;
import java.util.UUID;
import org.jspecify.annotations.Nullable;

/**
 * A part of a workspace's stream to be sent to an endpoint: a replay, a redelivery, or the full
 * history requested when the endpoint was created.
 *
 * @param id the endpoint's id for a full history
 * @param nextPosition the first position not published yet
 * @param published deliveries created so far
 * @param finishedAt when everything was published, or the replay was canceled
 */
public record Replay(
    UUID id,
    UUID endpointId,
    Origin origin,
    boolean onlyUndelivered,
    long firstPosition,
    long nextPosition,
    long lastPosition,
    long published,
    @Nullable String createdBy,
    Instant createdAt,
    @Nullable Instant finishedAt,
    @Nullable Instant canceledAt) {
  public enum State {
    /** Deliveries are being published. */
    RUNNING,
    /** All deliveries are published; some may still be on their way. */
    PUBLISHED,
    CANCELLED
  }

  public Replay {
    requireNonNull(id, "id is null");
    requireNonNull(endpointId, "endpointId is null");
    requireNonNull(origin, "origin is null");
    requireNonNull(createdAt, "createdAt is null");
  }

  public State state() {
    if (canceledAt != null) {
      return State.CANCELLED;
    }
    return finishedAt == null ? State.RUNNING : State.PUBLISHED;
  }
}
