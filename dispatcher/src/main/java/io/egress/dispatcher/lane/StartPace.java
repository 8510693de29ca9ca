package io.egress.dispatcher.lane;

import java.time.Duration;
import java.util.concurrent.TimeUnit;

/**
 * Spaces the starts of a lane evenly. A lane that fell behind catches up by a few starts only, so
 * that no second has many more than its share.
 */
final class StartPace {
  private static final long CATCH_UP_NANOS = Duration.ofMillis(50).toNanos();
  private static final int UNSENT_SHARE = 10;

  private final int perSecond;
  private final long intervalNanos;
  private long readyNanos;

  StartPace(int perSecond, long nowNanos) {
    this.perSecond = perSecond;
    this.intervalNanos = TimeUnit.SECONDS.toNanos(1) / perSecond;
    this.readyNanos = nowNanos;
  }

  int perSecond() {
    return perSecond;
  }

  /**
   * Limits attempts that were started and not sent, because they are sent together when the delay
   * is over.
   */
  int unsentMax() {
    return Math.max(1, perSecond / UNSENT_SHARE);
  }

  boolean isReady(long nowNanos) {
    return nowNanos - readyNanos >= 0;
  }

  long readyNanos() {
    return readyNanos;
  }

  void started(long nowNanos) {
    long behind = Math.min(nowNanos - readyNanos, CATCH_UP_NANOS);
    readyNanos = nowNanos - Math.max(behind, 0) + intervalNanos;
  }
}
