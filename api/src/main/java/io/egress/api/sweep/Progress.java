package io.egress.api.sweep;

import io.egress.platform.http.Health;
import java.time.Duration;

/** Detects whether recurring work makes progress. Thread-safe. */
final class Progress {
  private final long standstillMaxNanos;
  private final Health.State failing;
  private volatile Health.State state = Health.State.UP;
  private volatile long lastNanos = System.nanoTime();

  /**
   * @param standstillMax longer than any step may take
   * @param failing the state to report while the work fails and is retried
   */
  Progress(Duration standstillMax, Health.State failing) {
    this.standstillMaxNanos = standstillMax.toNanos();
    this.failing = failing;
  }

  void moved() {
    lastNanos = System.nanoTime();
    state = Health.State.UP;
  }

  /** The work failed and will be retried. */
  void failed() {
    lastNanos = System.nanoTime();
    state = failing;
  }

  Health.State state() {
    return System.nanoTime() - lastNanos > standstillMaxNanos ? Health.State.DOWN : state;
  }
}
