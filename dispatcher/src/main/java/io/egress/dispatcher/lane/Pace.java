package io.egress.dispatcher.lane;

import java.time.Duration;

/**
 * How long an endpoint takes when nothing is in its way: the least that one of its last deliveries
 * took. What takes much longer has waited somewhere, here or there, and more at once would only
 * wait with it.
 */
final class Pace {
  private static final int WINDOW = 128;
  private static final long NEAR_NANOS = Duration.ofMillis(5).toNanos();
  private static final long FAR_NANOS = Duration.ofMillis(20).toNanos();

  private long leastBefore = Long.MAX_VALUE;
  private long leastNow = Long.MAX_VALUE;
  private int seen;

  void delivered(long nanos) {
    if (seen == WINDOW) {
      leastBefore = leastNow;
      leastNow = Long.MAX_VALUE;
      seen = 0;
    }
    seen++;
    leastNow = Math.min(leastNow, nanos);
  }

  /** Whether more at once might go as fast. */
  boolean isUndisturbed(long nanos) {
    return nanos <= 2 * least() + NEAR_NANOS;
  }

  /** Whether there is more at once than anybody has a use for. */
  boolean isCrowded(long nanos) {
    return nanos > 4 * least() + FAR_NANOS;
  }

  private long least() {
    return Math.min(leastBefore, leastNow);
  }
}
