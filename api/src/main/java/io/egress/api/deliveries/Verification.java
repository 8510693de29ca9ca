package io.egress.api.deliveries;

import io.egress.deliverylog.DeliveryState;
import java.util.ArrayList;
import java.util.EnumMap;
import java.util.List;
import java.util.Map;
import java.util.UUID;
import org.jspecify.annotations.Nullable;

/**
 * What became of the captures that an endpoint is owed, in part of the stream. A capture counts as
 * delivered if any of its deliveries was, and else by the newest one.
 */
final class Verification {
  static final int MISSING_LISTED_MAX = 100;

  private final long fromPosition;
  private final long toPosition;
  private final @Nullable Long nextPosition;
  private final Map<DeliveryState, Long> counts = new EnumMap<>(DeliveryState.class);
  private final List<UUID> missing = new ArrayList<>();
  private long missingCount;
  private long forgotten;
  private long replayable;

  /** {@code nextPosition} is null where the stream ends with {@code toPosition}. */
  Verification(long fromPosition, long toPosition, @Nullable Long nextPosition) {
    this.fromPosition = fromPosition;
    this.toPosition = toPosition;
    this.nextPosition = nextPosition;
  }

  long fromPosition() {
    return fromPosition;
  }

  long toPosition() {
    return toPosition;
  }

  @Nullable Long nextPosition() {
    return nextPosition;
  }

  void count(DeliveryState state) {
    counts.merge(state, 1L, Long::sum);
  }

  /** Owed longer ago than the delivery log remembers. */
  void countForgotten() {
    forgotten++;
  }

  /** The newest delivery was exhausted or skipped, so a replay of undelivered captures sends it. */
  void countReplayable() {
    replayable++;
  }

  /** Nothing is known of a delivery, and none is on its way. */
  void countMissing(UUID captureId) {
    missingCount++;
    if (missing.size() < MISSING_LISTED_MAX) {
      missing.add(captureId);
    }
  }

  long of(DeliveryState state) {
    return counts.getOrDefault(state, 0L);
  }

  long forgotten() {
    return forgotten;
  }

  long replayable() {
    return replayable;
  }

  long missing() {
    return missingCount;
  }

  List<UUID> missingCaptures() {
    return List.copyOf(missing);
  }
}
