package io.egress.api.admin.deliveries;

import com.fasterxml.jackson.annotation.JsonUnwrapped;
import io.egress.api.admin.attempts.AttemptView;
import io.egress.api.admin.deliveries.DeliveryReads.DeliveryWithAttempts;
import io.egress.webhook.delivery.Delivery.Origin;
import io.egress.webhook.delivery.DeliveryId;
import io.egress.webhook.deliverylog.DeliveryState;
import io.egress.webhook.deliverylog.LoggedDelivery;
import io.egress.webhook.endpoint.Endpoint;
import java.time.Instant;
import java.util.List;
import java.util.UUID;
import org.jspecify.annotations.Nullable;

/**
 * A delivery as the internal API shows it.
 *
 * @param redeliveryOf null for a first delivery
 */
record DeliveryView(
    UUID id,
    UUID endpointId,
    UUID captureId,
    long position,
    @Nullable UUID replayId,
    @Nullable UUID redeliveryOf,
    Origin origin,
    DeliveryState state,
    int attempts,
    @Nullable String lastOutcome,
    @Nullable Instant nextAttemptAt,
    @Nullable Instant owedAt,
    @Nullable Instant updatedAt) {
  /**
   * In a list, with what its ids stand for.
   *
   * @param title that of its capture, if it has one
   * @param lastStatus what the receiver answered to the last attempt; null if it did not
   * @param lastFailure how the last attempt failed, in words; null if it succeeded, or there is
   *     none
   */
  record Named(
      @JsonUnwrapped DeliveryView delivery,
      @Nullable String title,
      @Nullable String endpointUrl,
      @Nullable String endpointDescription,
      @Nullable Integer lastStatus,
      @Nullable String lastFailure) {
    static Named of(
        LoggedDelivery delivery,
        @Nullable String title,
        @Nullable Endpoint endpoint,
        @Nullable LastAttempt last) {
      return new Named(
          DeliveryView.of(delivery),
          title,
          endpoint == null ? null : endpoint.url(),
          endpoint == null ? null : endpoint.description(),
          last == null ? null : last.status(),
          last == null ? null : last.failure());
    }
  }

  /** With its attempts, and with the body of one on request. */
  record Detailed(
      @JsonUnwrapped DeliveryView delivery,
      List<DeliveryView> redeliveries,
      List<Attempt> attemptLog) {
    static Detailed of(DeliveryWithAttempts found) {
      UUID id = found.delivery().id();
      return new Detailed(
          DeliveryView.of(found.delivery()),
          found.others().stream().map(DeliveryView::of).toList(),
          found.attempts().stream()
              .map(each ->
                  new Attempt(
                      each.number(),
                      found.isBodyKnown(each.made()),
                      AttemptView.of(id, found.delivery().position(), each.made())))
              .toList());
    }
  }

  record WithBody(@JsonUnwrapped Detailed delivery, String body, boolean isBodyVerified) {}

  record Attempt(int attempt, boolean isBodyKnown, @JsonUnwrapped AttemptView made) {}

  /** A redelivery that has not been published yet. */
  record Redelivery(UUID id, UUID replayId, UUID redeliveryOf) {
    static Redelivery of(LoggedDelivery delivery, UUID replayId) {
      return new Redelivery(
          DeliveryId.inReplay(replayId, delivery.captureId()),
          replayId,
          DeliveryId.of(delivery.endpointId(), delivery.captureId()));
    }
  }

  static DeliveryView of(LoggedDelivery delivery) {
    return new DeliveryView(
        delivery.id(),
        delivery.endpointId(),
        delivery.captureId(),
        delivery.position(),
        delivery.replayId(),
        delivery.replayId() == null
            ? null
            : DeliveryId.of(delivery.endpointId(), delivery.captureId()),
        delivery.origin(),
        delivery.state(),
        delivery.attempts(),
        delivery.lastOutcome(),
        delivery.nextAttemptAt(),
        delivery.owedAt(),
        delivery.updatedAt());
  }
}
