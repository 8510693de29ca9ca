package io.egress.api.admin.replays;

import com.fasterxml.jackson.annotation.JsonProperty;
import com.fasterxml.jackson.annotation.JsonValue;
import io.egress.webhook.backfill.Backfill;
import io.egress.webhook.delivery.Delivery.Origin;
import java.time.Instant;
import java.util.Locale;
import java.util.UUID;
import org.jspecify.annotations.Nullable;

/**
 * What the API shows of a {@link Backfill}: a replay, a redelivery, or the full history requested
 * when the endpoint was created.
 *
 * @param id the endpoint's id for a full history
 * @param only {@code undelivered}, or null for all
 * @param nextPosition the first position not published yet
 * @param published deliveries created so far
 * @param finishedAt when everything was published, or the replay was canceled
 * @param endpointPaused then a replay that runs publishes nothing for now
 */
public record Replay(
    UUID id,
    UUID endpointId,
    Origin origin,
    @Nullable String only,
    long fromPosition,
    long toPosition,
    long nextPosition,
    long published,
    @Nullable String createdBy,
    Instant createdAt,
    @Nullable Instant finishedAt,
    @JsonProperty("cancelled_at") @Nullable Instant canceledAt,
    boolean endpointPaused) {
  public enum State {
    /** Deliveries are being published, or will be once the endpoint is no longer paused. */
    RUNNING,
    /** All deliveries are published; some may still be on their way. */
    PUBLISHED,
    CANCELED;

    /** The API says it with two l. */
    @JsonValue
    public String word() {
      return this == CANCELED ? "cancelled" : name().toLowerCase(Locale.ROOT);
    }
  }

  static Replay of(Backfill backfill) {
    return new Replay(
        backfill.id(),
        backfill.endpointId(),
        backfill.origin(),
        backfill.onlyUndelivered() ? "undelivered" : null,
        backfill.firstPosition(),
        backfill.lastPosition(),
        backfill.nextPosition(),
        backfill.published(),
        backfill.createdBy(),
        backfill.createdAt(),
        backfill.finishedAt(),
        backfill.canceledAt(),
        backfill.endpointPaused());
  }

  @JsonProperty
  public State state() {
    if (canceledAt != null) {
      return State.CANCELED;
    }
    return finishedAt == null ? State.RUNNING : State.PUBLISHED;
  }

  public boolean waitsForEndpoint() {
    return state() == State.RUNNING && endpointPaused;
  }

  public boolean onlyUndelivered() {
    return only != null;
  }
}
