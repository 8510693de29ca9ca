package io.egress.webhook.deliverylog;

import com.fasterxml.jackson.annotation.JsonValue;
import java.util.Arrays;
import java.util.List;
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
  SKIPPED,
  /** A later change of the capture is sent in its place, or was sent before. */
  SUPERSEDED;

  /** Those of a capture at an endpoint: only updates are superseded. */
  public static final List<DeliveryState> OF_CAPTURES =
      List.of(PENDING, DELIVERED, EXHAUSTED, SKIPPED);

  /** Whether nothing more happens to the delivery. */
  public boolean isFinal() {
    return switch (this) {
      case PENDING -> false;
      case DELIVERED, EXHAUSTED, SKIPPED, SUPERSEDED -> true;
    };
  }

  /** For people. */
  public String shown() {
    return switch (this) {
      case PENDING -> "not delivered yet";
      case EXHAUSTED -> "given up";
      case DELIVERED, SKIPPED, SUPERSEDED -> word();
    };
  }

  /** Whether the delivery has ended without success, so that a replay would repeat it. */
  public boolean isReplayable() {
    return switch (this) {
      case PENDING, DELIVERED, SUPERSEDED -> false;
      case EXHAUSTED, SKIPPED -> true;
    };
  }

  @JsonValue
  public String word() {
    return name().toLowerCase(Locale.ROOT);
  }

  /** Empty if the word is not one of {@link #word}'s. */
  public static Optional<DeliveryState> find(String word) {
    return Arrays.stream(values()).filter(state -> state.word().equals(word)).findFirst();
  }

  public static DeliveryState of(String word) {
    return valueOf(word.toUpperCase(Locale.ROOT));
  }
}
