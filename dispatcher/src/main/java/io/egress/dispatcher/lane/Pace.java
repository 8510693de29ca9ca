package io.egress.dispatcher.lane;

import java.time.Duration;

/**
 * How long an endpoint takes when nothing is in its way: the least that its deliveries took, which
 * is forgotten only slowly, because a queue that nobody drains must not become the measure of
 * itself. What takes much longer has waited somewhere, here or there, and more at once would only
 * wait with it.
 */
final class Pace {
  private static final int WINDOW = 128;
  private static final double FORGETTING = 1.1;
  private static final long NEAR_NANOS = Duration.ofMillis(5).toNanos();
  private static final long FAR_NANOS = Duration.ofMillis(20).toNanos();
  private static final long QUICK_NANOS = Duration.ofMillis(5).toNanos();

  private long least = Long.MAX_VALUE;
  private long leastOfWindow = Long.MAX_VALUE;
  private int seen;

  void delivered(long nanos) {
    leastOfWindow = Math.min(leastOfWindow, nanos);
    least = Math.min(least, nanos);
    seen++;
    if (seen == WINDOW) {
      least = Math.min(leastOfWindow, (long) (least * FORGETTING));
      leastOfWindow = Long.MAX_VALUE;
      seen = 0;
    }
  }

  /** Whether a connection carries so many deliveries a second that few are needed. */
  boolean isQuick() {
    return least <= QUICK_NANOS;
  }

  /** Whether more at once might go as fast. */
  boolean isUndisturbed(long nanos) {
    return nanos <= 2 * least + NEAR_NANOS;
  }

  /** Whether there is more at once than anybody has a use for. */
  boolean isCrowded(long nanos) {
    return nanos > 4 * least + FAR_NANOS;
  }
}
