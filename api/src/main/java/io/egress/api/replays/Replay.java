package io.egress.api.replays;

import static java.util.Objects.requireNonNull;

import io.egress.delivery.Delivery.Origin;
import java.time.Instant;
import java.util.UUID;
import org.jspecify.annotations.Nullable;

/**
 * Part of a workspace's stream that an endpoint gets again, or for the first time: a replay, a
 * redelivery, or the full history it was created with.
 *
 * @param id of a full history, the endpoint's
 * @param nextPosition the first position that is not published
 * @param published deliveries made so far
 * @param finishedAt when all of it was published, or it was cancelled before
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
    @Nullable Instant cancelledAt) {
  public enum State {
    /** Deliveries are being published. */
    RUNNING,
    /** All deliveries are published; some may not have arrived. */
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
    if (cancelledAt != null) {
      return State.CANCELLED;
    }
    return finishedAt == null ? State.RUNNING : State.PUBLISHED;
  }
}
