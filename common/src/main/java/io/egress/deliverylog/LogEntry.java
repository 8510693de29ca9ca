package io.egress.deliverylog;

import static java.util.Objects.requireNonNull;

import io.egress.delivery.Delivery;
import java.time.Instant;
import org.jspecify.annotations.Nullable;

/**
 * What is to be remembered of a delivery.
 *
 * @param attempt null where none was made: the delivery was skipped, or a replay owes it
 * @param nextAttemptAt null where none follows
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

  /** How many attempts are over once this is written. */
  int attempts() {
    return attempt == null ? delivery.attempt() - 1 : delivery.attempt();
  }
}
