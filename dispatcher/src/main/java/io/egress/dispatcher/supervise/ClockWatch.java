package io.egress.dispatcher.supervise;

import java.time.Duration;
import java.util.function.LongSupplier;

/**
 * Detects that the wall clock was set back. Kafka's clients measure waits by the wall clock and
 * never let it run backwards: a client that has seen the later time stalls until that time comes
 * again, and has to be replaced. Thread-safe.
 */
public final class ClockWatch {
  /** Ignores slewing, and steps too small to matter. */
  private static final Duration STEP_MIN = Duration.ofSeconds(2);

  private static final Duration READING_MAX = Duration.ofMillis(100);

  private final LongSupplier wallMillis;
  private final LongSupplier nanoTime;
  private long latestOffsetMillis;

  public ClockWatch() {
    this(System::currentTimeMillis, System::nanoTime);
  }

  ClockWatch(LongSupplier wallMillis, LongSupplier nanoTime) {
    this.wallMillis = wallMillis;
    this.nanoTime = nanoTime;
    this.latestOffsetMillis = offsetMillis();
  }

  /** How far the clock was set back since the last call; zero if it was not. */
  public synchronized Duration setBack() {
    long offset = offsetMillis();
    Duration step = Duration.ofMillis(latestOffsetMillis - offset);
    if (step.compareTo(STEP_MIN) < 0) {
      latestOffsetMillis = Math.max(latestOffsetMillis, offset);
      return Duration.ZERO;
    }
    latestOffsetMillis = offset;
    return step;
  }

  /**
   * Repeated if the thread was suspended between reading the two clocks, which would look like a
   * step.
   */
  private long offsetMillis() {
    while (true) {
      long before = nanoTime.getAsLong();
      long wall = wallMillis.getAsLong();
      if (nanoTime.getAsLong() - before < READING_MAX.toNanos()) {
        return wall - Duration.ofNanos(before).toMillis();
      }
    }
  }
}
