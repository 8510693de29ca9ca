package io.egress.api.sweep;

import static java.util.Objects.requireNonNull;

import io.egress.http.Health;
import java.time.Duration;

/** Whether work that recurs goes on. To be asked from any thread. */
final class Progress {
  private final long standstillMaxNanos;
  private final Health.State failing;
  private volatile Health.State state = Health.State.UP;
  private volatile long lastNanos = System.nanoTime();

  /**
   * @param standstillMax longer than anything that is waited for may take
   * @param failing what it means when the work is tried again and again
   */
  Progress(Duration standstillMax, Health.State failing) {
    this.standstillMaxNanos = standstillMax.toNanos();
    this.failing = requireNonNull(failing, "failing is null");
  }

  void moved() {
    lastNanos = System.nanoTime();
    state = Health.State.UP;
  }

  /** It goes on as far as it can. */
  void failed() {
    lastNanos = System.nanoTime();
    state = failing;
  }

  Health.State state() {
    return System.nanoTime() - lastNanos > standstillMaxNanos ? Health.State.DOWN : state;
  }
}
