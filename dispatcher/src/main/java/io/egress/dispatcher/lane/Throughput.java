package io.egress.dispatcher.lane;

import java.util.concurrent.TimeUnit;

/** Starts per second, measured over the last second that had any. */
final class Throughput {
  private static final long WINDOW_NANOS = TimeUnit.SECONDS.toNanos(1);

  private long windowNanos;
  private int inWindow;
  private double perSecond;

  Throughput(long nowNanos) {
    this.windowNanos = nowNanos;
  }

  void started(long nowNanos) {
    long elapsed = nowNanos - windowNanos;
    if (elapsed >= WINDOW_NANOS) {
      perSecond = (double) inWindow * WINDOW_NANOS / elapsed;
      inWindow = 0;
      windowNanos = nowNanos;
    }
    inWindow++;
  }

  double perSecond() {
    return perSecond;
  }
}
