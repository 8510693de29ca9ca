package io.egress.dispatcher.supervise;

import static java.util.Objects.requireNonNull;

import java.time.Duration;
import java.util.function.LongSupplier;

/**
 * Notices that the wall clock was set back. Kafka's clients measure their waits by it and never let
 * it run backwards: one that lived through the later time stands still until that time comes again,
 * and has to be replaced. May be asked from any thread.
 */
public final class ClockWatch {
  /** Less than what clocks are slewed by between two looks, and than any wait that matters. */
  private static final Duration STEP_MIN = Duration.ofSeconds(2);

  private static final Duration READING_MAX = Duration.ofMillis(100);

  private final LongSupplier wallMillis;
  private final LongSupplier nanoTime;
  private long latestOffsetMillis;

  public ClockWatch() {
    this(System::currentTimeMillis, System::nanoTime);
  }

  ClockWatch(LongSupplier wallMillis, LongSupplier nanoTime) {
    this.wallMillis = requireNonNull(wallMillis, "wallMillis is null");
    this.nanoTime = requireNonNull(nanoTime, "nanoTime is null");
    this.latestOffsetMillis = offsetMillis();
  }

  /** By how much, since it was said last; zero where it was not. */
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
   * Read again when the thread stood still between the two clocks, which would look like a step.
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
