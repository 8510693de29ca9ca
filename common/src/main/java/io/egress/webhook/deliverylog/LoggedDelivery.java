package io.egress.webhook.deliverylog;

import io.egress.webhook.delivery.Delivery;
import io.egress.webhook.delivery.Delivery.Origin;
import java.time.Instant;
import java.util.Collection;
import java.util.Comparator;
import java.util.UUID;
import org.jspecify.annotations.Nullable;

/**
 * A delivery in the delivery log.
 *
 * @param replayId null for the first delivery of a capture to an endpoint
 * @param attempts those with a known outcome
 * @param lastOutcome null if no attempt was made, because the endpoint was paused or deleted
 * @param nextAttemptAt null unless the delivery is pending
 */
public record LoggedDelivery(
    UUID id,
    UUID endpointId,
    UUID captureId,
    long position,
    @Nullable UUID replayId,
    Origin origin,
    DeliveryState state,
    int attempts,
    @Nullable String lastOutcome,
    @Nullable Instant nextAttemptAt,
    Instant owedAt,
    @Nullable Instant updatedAt) {
  private static final Comparator<LoggedDelivery> BY_AGE =
      Comparator.comparing(LoggedDelivery::owedAt).thenComparing(LoggedDelivery::id);

  /**
   * What has become of a capture at an endpoint, by all of its deliveries there: delivered if any
   * was, else pending if any still is, else the state of the newest. Once the endpoint was to get
   * an update, what it got before does not count.
   */
  public static DeliveryState together(Collection<LoggedDelivery> deliveries) {
    Instant updateOwedAt =
        deliveries.stream()
            .filter(each -> each.origin == Origin.UPDATE && !each.isSuperseded())
            .map(LoggedDelivery::owedAt)
            .max(Comparator.naturalOrder())
            .orElse(Instant.MIN);
    return deliveries.stream()
        .filter(each -> !each.isSuperseded())
        .filter(each -> each.state == DeliveryState.PENDING || !each.owedAt.isBefore(updateOwedAt))
        .min(Comparator.comparingInt(LoggedDelivery::rank).thenComparing(BY_AGE.reversed()))
        .map(LoggedDelivery::state)
        .orElse(DeliveryState.DELIVERED);
  }

  private boolean isSuperseded() {
    return state == DeliveryState.SUPERSEDED;
  }

  private int rank() {
    return switch (state) {
      case DELIVERED, SUPERSEDED -> 0;
      case PENDING -> 1;
      case EXHAUSTED, SKIPPED -> 2;
    };
  }

  public LoggedDelivery in(DeliveryState another) {
    return new LoggedDelivery(
        id,
        endpointId,
        captureId,
        position,
        replayId,
        origin,
        another,
        attempts,
        lastOutcome,
        nextAttemptAt,
        owedAt,
        updatedAt);
  }

  /** One that is owed and has no outcome yet, so that the log has no entry for it. */
  public static LoggedDelivery withoutOutcome(Delivery owed) {
    return new LoggedDelivery(
        owed.id(),
        owed.endpointId(),
        owed.captureId(),
        owed.position(),
        owed.replayId(),
        owed.origin(),
        DeliveryState.PENDING,
        0,
        null,
        null,
        owed.owedAt(),
        null);
  }
}
