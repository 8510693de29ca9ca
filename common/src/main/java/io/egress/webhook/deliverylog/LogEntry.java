package io.egress.webhook.deliverylog;

import static java.util.Objects.requireNonNull;

import io.egress.webhook.delivery.Delivery;
import java.time.Instant;
import org.jspecify.annotations.Nullable;

/**
 * An entry of the delivery log.
 *
 * @param attempt null if no attempt was made: the delivery was skipped, or a replay owes it
 * @param nextAttemptAt null if no attempt follows
 */
public record LogEntry(
    Delivery delivery,
    DeliveryState state,
    @Nullable MadeAttempt attempt,
    @Nullable Instant nextAttemptAt) {
  public LogEntry {
    requireNonNull(delivery, "delivery is null");
    requireNonNull(state, "state is null");
  }

  /** A delivery that is owed and was not attempted. */
  public static LogEntry owed(Delivery delivery) {
    return new LogEntry(delivery, DeliveryState.PENDING, null, null);
  }

  /**
   * Whether nothing is logged of the delivery yet. A replay's delivery is logged when it is
   * published, all others with their first outcome.
   */
  boolean isFirst() {
    boolean isPublished = attempt == null && state == DeliveryState.PENDING;
    return delivery.attempt() == 1 && (delivery.replayId() == null || isPublished);
  }

  /** The number of attempts made, including this one. */
  int attempts() {
    return attempt == null ? delivery.attempt() - 1 : delivery.attempt();
  }
}
