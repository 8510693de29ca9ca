package io.egress.dispatcher.lane;

import java.time.Duration;

/**
 * An endpoint's response time without queueing: the minimum of its deliveries, which is forgotten
 * slowly, because a queue that nobody drains must not become the measure of itself. A delivery that
 * takes much longer has waited somewhere, and more concurrency would only make it wait longer.
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

  /** Whether a connection carries so many deliveries per second that few connections are needed. */
  boolean isQuick() {
    return least <= QUICK_NANOS;
  }

  /** Whether more concurrency might keep this speed. */
  boolean isUndisturbed(long nanos) {
    return nanos <= 2 * least + NEAR_NANOS;
  }

  /** Whether there is more concurrency than useful. */
  boolean isCrowded(long nanos) {
    return nanos > 4 * least + FAR_NANOS;
  }
}
