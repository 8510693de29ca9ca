package io.egress.api.portal.view;

import static java.util.Objects.requireNonNull;

import io.egress.api.replays.Replay;
import io.egress.deliverylog.DeliveryState;
import java.util.LinkedHashMap;
import java.util.Locale;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * A replay and its progress.
 *
 * @param outcomes deliveries by state; null if unknown
 */
public record ReplayRow(Replay replay, String endpoint, @Nullable Map<String, Long> outcomes) {
  public ReplayRow {
    requireNonNull(replay, "replay is null");
    requireNonNull(endpoint, "endpoint is null");
  }

  public static ReplayRow of(
      Replay replay, String endpoint, @Nullable Map<DeliveryState, Long> outcomes) {
    return new ReplayRow(replay, endpoint, outcomes == null ? null : words(outcomes));
  }

  public String state() {
    return replay.state().name().toLowerCase(Locale.ROOT);
  }

  public String kind() {
    return switch (replay.origin()) {
      case BACKFILL -> "Full history";
      case REDELIVERY -> "Redelivery";
      default -> replay.onlyUndelivered() ? "Failed or skipped" : "Everything";
    };
  }

  public long captures() {
    return Math.max(0, replay.lastPosition() - replay.firstPosition() + 1);
  }

  /** The captures of the replay that were processed. */
  public long done() {
    return state().equals("published")
        ? captures()
        : Math.max(0, Math.min(captures(), replay.nextPosition() - replay.firstPosition()));
  }

  /** Whether the page may still change. */
  public boolean isOpen() {
    return state().equals("running")
        || (outcomes != null && outcomes.getOrDefault("pending", 0L) > 0);
  }

  public boolean mayBeCancelled() {
    return isOpen() && !state().equals("cancelled") && !kind().equals("Full history");
  }

  private static Map<String, Long> words(Map<DeliveryState, Long> outcomes) {
    Map<String, Long> words = new LinkedHashMap<>();
    for (DeliveryState state : DeliveryState.values()) {
      words.put(state.word(), outcomes.getOrDefault(state, 0L));
    }
    return words;
  }
}
