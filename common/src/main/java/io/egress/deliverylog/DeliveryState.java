package io.egress.deliverylog;

import java.util.Arrays;
import java.util.Locale;
import java.util.Optional;

/** All states but {@code PENDING} are final. */
public enum DeliveryState {
  PENDING,
  DELIVERED,
  EXHAUSTED,
  /**
   * It was due while the endpoint was paused, or after the endpoint was deleted or the replay
   * canceled.
   */
  SKIPPED;

  public String word() {
    return name().toLowerCase(Locale.ROOT);
  }

  /** Empty if the word is not one of {@link #word}'s. */
  public static Optional<DeliveryState> find(String word) {
    return Arrays.stream(values()).filter(state -> state.word().equals(word)).findFirst();
  }

  static DeliveryState of(String word) {
    return valueOf(word.toUpperCase(Locale.ROOT));
  }
}
