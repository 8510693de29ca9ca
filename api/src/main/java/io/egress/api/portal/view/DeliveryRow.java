package io.egress.api.portal.view;

import io.egress.webhook.deliverylog.DeliveryState;
import io.egress.webhook.deliverylog.LoggedDelivery;
import io.egress.webhook.send.FailureText;
import java.time.Duration;
import java.time.Instant;
import java.util.UUID;
import org.jspecify.annotations.Nullable;

/**
 * A delivery in a list.
 *
 * @param isOverdue whether its next attempt should have been made
 */
public record DeliveryRow(
    UUID id,
    UUID captureId,
    String capture,
    UUID endpointId,
    String endpoint,
    long position,
    String origin,
    String state,
    int attempts,
    @Nullable String lastOutcome,
    Instant owedAt,
    @Nullable Instant nextAttemptAt,
    boolean isOverdue) {
  /** An attempt that starts later than that is not on time. */
  private static final Duration ON_TIME = Duration.ofSeconds(10);

  /** The state in words. */
  public String shownState() {
    return DeliveryState.of(state).shown();
  }

  public boolean isDelivered() {
    return DeliveryState.of(state) == DeliveryState.DELIVERED;
  }

  /** Whether the last outcome says more than the state does. */
  public boolean outcomeExplainsState() {
    return lastOutcome != null && !lastOutcome.equals(shownState());
  }

  public static DeliveryRow of(
      LoggedDelivery delivery, String capture, String endpoint, Instant now) {
    Instant nextAttemptAt = delivery.nextAttemptAt();
    return new DeliveryRow(
        delivery.id(),
        delivery.captureId(),
        capture,
        delivery.endpointId(),
        endpoint,
        delivery.position(),
        delivery.origin().word(),
        delivery.state().word(),
        delivery.attempts(),
        delivery.lastOutcome() == null ? null : FailureText.words(delivery.lastOutcome()),
        delivery.owedAt(),
        nextAttemptAt,
        nextAttemptAt != null && nextAttemptAt.plus(ON_TIME).isBefore(now));
  }
}
