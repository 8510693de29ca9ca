package io.egress.deliverylog;

import java.util.Arrays;
import java.util.Locale;
import java.util.Optional;

/** All but {@code PENDING} are ends. */
public enum DeliveryState {
  PENDING,
  DELIVERED,
  EXHAUSTED,
  /** Fell due while the endpoint was paused, or after it or the replay was ended. */
  SKIPPED;

  public String word() {
    return name().toLowerCase(Locale.ROOT);
  }

  /** Empty for what {@link #word} returns for none. */
  public static Optional<DeliveryState> find(String word) {
    return Arrays.stream(values()).filter(state -> state.word().equals(word)).findFirst();
  }

  static DeliveryState of(String word) {
    return valueOf(word.toUpperCase(Locale.ROOT));
  }
}
