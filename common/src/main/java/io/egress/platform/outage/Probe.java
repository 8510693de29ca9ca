package io.egress.platform.outage;

import io.vertx.core.Future;
import java.time.Duration;
import java.util.concurrent.TimeUnit;

/** Finds out whether a backend does its work; fails if it does not. */
@FunctionalInterface
public interface Probe {
  /** The one who waits sets the limit, {@code within}, which the steps of the answer share. */
  Future<?> ask(Duration within);

  /** Fails without an answer in time, too. */
  default Future<?> answer(Duration within) {
    try {
      return ask(within).timeout(within.toMillis(), TimeUnit.MILLISECONDS);
    } catch (RuntimeException failure) {
      return Future.failedFuture(failure);
    }
  }
}
