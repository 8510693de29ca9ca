package io.egress.api.portal.view;

import static java.util.Objects.requireNonNull;

import io.egress.api.admin.replays.Replay;
import io.egress.api.admin.replays.Replays;
import io.egress.webhook.delivery.Delivery.Origin;
import io.egress.webhook.deliverylog.DeliveryState;
import java.util.LinkedHashMap;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * A replay and its progress.
 *
 * @param outcomes the number of deliveries by what became of them; null if unknown
 */
public record ReplayRow(
    Replay replay, String endpoint, boolean finished, @Nullable Map<String, Long> outcomes) {
  private static final String GIVEN_UP = DeliveryState.EXHAUSTED.shown();
  private static final String PENDING = DeliveryState.PENDING.shown();

  public ReplayRow {
    requireNonNull(replay, "replay is null");
    requireNonNull(endpoint, "endpoint is null");
  }

  public static ReplayRow of(Replays.Progress progress, String endpoint) {
    Map<DeliveryState, Long> outcomes = progress.outcomes();
    return new ReplayRow(
        progress.replay(),
        endpoint,
        progress.isFinished(),
        outcomes == null ? null : words(outcomes));
  }

  /** A state for people; what was published may not be delivered yet. */
  public String state() {
    return switch (replay.state()) {
      case RUNNING -> replay.waitsForEndpoint() ? "waiting" : "running";
      case CANCELED -> "canceled";
      case PUBLISHED -> finished ? "finished" : outcomes == null ? "all queued" : "sending";
    };
  }

  /** A class of the style sheet. */
  public String color() {
    return switch (replay.state()) {
      case RUNNING -> "running";
      case CANCELED -> "canceled";
      case PUBLISHED -> !finished ? "running" : count(GIVEN_UP) > 0 ? "failed" : "delivered";
    };
  }

  /** A class of the style sheet for an outcome in words. */
  public static String color(String outcome) {
    return outcome.equals(PENDING) ? "pending" : outcome.equals(GIVEN_UP) ? "failed" : outcome;
  }

  public String kind() {
    return switch (replay.origin()) {
      case BACKFILL -> "Full history";
      case REDELIVERY -> "Redelivery";
      case UPDATE -> "Updates";
      case ERASURE -> "Erasures";
      case PAGE, CHANGES_PAGE -> throw new IllegalStateException("a replay of pages");
      case LIVE, REPLAY -> replay.onlyUndelivered() ? "Given up or skipped" : "Everything";
    };
  }

  public long captures() {
    return Math.max(0, replay.toPosition() - replay.fromPosition() + 1);
  }

  /** The captures of the replay that were processed. */
  public long done() {
    return replay.state() == Replay.State.PUBLISHED
        ? captures()
        : Math.max(0, Math.min(captures(), replay.nextPosition() - replay.fromPosition()));
  }

  /** How many were delivered, given up and are not delivered yet, in words. */
  public String summary() {
    if (outcomes == null) {
      return Times.number(replay.published()) + " created";
    }
    StringBuilder summary = new StringBuilder();
    summary.append(Times.number(count("delivered"))).append(" of ");
    summary.append(Times.number(replay.published())).append(" delivered");
    outcomes.forEach((outcome, count) -> {
      if (count > 0 && !outcome.equals("delivered")) {
        summary.append(", ").append(Times.number(count)).append(' ').append(outcome);
      }
    });
    return summary.toString();
  }

  /** Whether the page may still change. */
  public boolean isOpen() {
    return replay.state() == Replay.State.RUNNING || count(PENDING) > 0;
  }

  public boolean mayBeCanceled() {
    return isOpen()
        && replay.state() != Replay.State.CANCELED
        && replay.origin() != Origin.BACKFILL;
  }

  private long count(String outcome) {
    return outcomes == null ? 0 : outcomes.getOrDefault(outcome, 0L);
  }

  private static Map<String, Long> words(Map<DeliveryState, Long> outcomes) {
    Map<String, Long> words = new LinkedHashMap<>();
    words.put("delivered", outcomes.getOrDefault(DeliveryState.DELIVERED, 0L));
    words.put(GIVEN_UP, outcomes.getOrDefault(DeliveryState.EXHAUSTED, 0L));
    words.put(PENDING, outcomes.getOrDefault(DeliveryState.PENDING, 0L));
    words.put("skipped", outcomes.getOrDefault(DeliveryState.SKIPPED, 0L));
    return words;
  }
}
