package io.egress.api.admin.deliveries;

import io.egress.webhook.deliverylog.DeliveryState;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.EnumMap;
import java.util.List;
import java.util.Map;
import java.util.UUID;
import org.jspecify.annotations.Nullable;

/**
 * The outcomes of the captures owed to an endpoint, for a part of the stream. A capture counts as
 * delivered if any of its deliveries was; see {@link
 * io.egress.webhook.deliverylog.LoggedDelivery#together}.
 */
public final class Verification {
  static final int MISSING_LISTED_MAX = 100;

  private final long fromPosition;
  private final long toPosition;
  private final @Nullable Long nextPosition;
  private final Map<DeliveryState, Long> counts = new EnumMap<>(DeliveryState.class);
  private final List<UUID> missing = new ArrayList<>();
  private long missingCount;
  private long missingReplays;
  private long forgotten;
  private long erased;

  /** {@code nextPosition} is null if {@code toPosition} is the end of the stream. */
  Verification(long fromPosition, long toPosition, @Nullable Long nextPosition) {
    this.fromPosition = fromPosition;
    this.toPosition = toPosition;
    this.nextPosition = nextPosition;
  }

  public long fromPosition() {
    return fromPosition;
  }

  public long toPosition() {
    return toPosition;
  }

  public @Nullable Long nextPosition() {
    return nextPosition;
  }

  void count(DeliveryState state) {
    count(state, 1);
  }

  void count(DeliveryState state, long captures) {
    counts.merge(state, captures, Long::sum);
  }

  /** Owed for longer than the delivery log is kept. */
  void countForgotten() {
    forgotten++;
  }

  /** Not delivered, and erased since. */
  void countErased() {
    countErased(1);
  }

  void countErased(long captures) {
    erased += captures;
  }

  /** No delivery is known, and none is on its way. */
  void countMissing(UUID captureId) {
    missingCount++;
    if (missing.size() < MISSING_LISTED_MAX) {
      missing.add(captureId);
    }
  }

  /** A replay's delivery is overdue, and not on its way. */
  void countMissingReplay() {
    missingReplays++;
  }

  public long missingReplays() {
    return missingReplays;
  }

  public long of(DeliveryState state) {
    return counts.getOrDefault(state, 0L);
  }

  public long erased() {
    return erased;
  }

  public long forgotten() {
    return forgotten;
  }

  /** Those that a replay of undelivered captures sends. */
  public long replayable() {
    return Arrays.stream(DeliveryState.values())
        .filter(DeliveryState::isReplayable)
        .mapToLong(this::of)
        .sum();
  }

  public long missing() {
    return missingCount;
  }

  public List<UUID> missingCaptures() {
    return List.copyOf(missing);
  }
}
