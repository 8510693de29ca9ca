package io.egress.api.hook;

import java.util.UUID;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ConcurrentMap;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicLong;
import java.util.function.LongSupplier;
import org.jspecify.annotations.Nullable;

/**
 * Limits how many captures a workspace may put in per second, in this process. Each workspace has a
 * bucket of tokens for two seconds. Calls of the hook may empty it; imports leave them a second's
 * worth, so that history does not hold up what is happening now.
 */
final class WorkspaceRate {
  private static final int SECONDS_HELD = 2;
  private static final double NANOS_PER_SECOND = TimeUnit.SECONDS.toNanos(1);

  /** A full bucket says nothing and is dropped. */
  private static final long DROPS_APART_NANOS = TimeUnit.SECONDS.toNanos(10);

  private record Bucket(double tokens, long nanos) {}

  private final @Nullable Integer perSecond;
  private final LongSupplier clock;
  private final ConcurrentMap<UUID, Bucket> buckets = new ConcurrentHashMap<>();
  private final AtomicLong droppedNanos;

  /**
   * {@code perSecond} is null if there is no limit. {@code clock} counts nanoseconds from anywhere.
   */
  WorkspaceRate(@Nullable Integer perSecond, LongSupplier clock) {
    this.perSecond = perSecond;
    this.clock = clock;
    this.droppedNanos = new AtomicLong(clock.getAsLong());
  }

  /** Whether a capture from the hook may be put in now. */
  boolean admits(UUID workspaceId) {
    return perSecond == null || take(workspaceId, 1, 0, perSecond) == 1;
  }

  /** How many of {@code wanted} captures of an import may be put in now. */
  int admitsImported(UUID workspaceId, int wanted) {
    return perSecond == null ? wanted : take(workspaceId, wanted, perSecond, perSecond);
  }

  /** The workspaces whose buckets are kept. */
  int kept() {
    return buckets.size();
  }

  private int take(UUID workspaceId, int wanted, int left, int rate) {
    long now = clock.getAsLong();
    dropFull(now, rate);
    int[] taken = {0};
    buckets.compute(
        workspaceId,
        (_, bucket) -> {
          double tokens = bucket == null ? (double) SECONDS_HELD * rate : tokens(bucket, now, rate);
          taken[0] = Math.max(0, Math.min(wanted, (int) (tokens - left)));
          return new Bucket(tokens - taken[0], now);
        });
    return taken[0];
  }

  private static double tokens(Bucket bucket, long now, int rate) {
    double earned = Math.max(0, now - bucket.nanos()) / NANOS_PER_SECOND * rate;
    return Math.min((double) SECONDS_HELD * rate, bucket.tokens() + earned);
  }

  private void dropFull(long now, int rate) {
    long dropped = droppedNanos.get();
    if (now - dropped > DROPS_APART_NANOS && droppedNanos.compareAndSet(dropped, now)) {
      buckets
          .entrySet()
          .removeIf(each -> tokens(each.getValue(), now, rate) >= (double) SECONDS_HELD * rate);
    }
  }
}
