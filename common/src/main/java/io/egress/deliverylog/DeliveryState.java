package io.egress.deliverylog;

import java.util.Locale;

/** All but {@code PENDING} are ends. */
public enum DeliveryState {
  PENDING,
  DELIVERED,
  EXHAUSTED,
  /** Fell due while the endpoint was paused, or after it was deleted. */
  SKIPPED;

  public String word() {
    return name().toLowerCase(Locale.ROOT);
  }

  static DeliveryState of(String word) {
    return valueOf(word.toUpperCase(Locale.ROOT));
  }
}
