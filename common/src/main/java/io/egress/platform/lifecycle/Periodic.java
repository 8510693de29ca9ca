package io.egress.platform.lifecycle;

import io.vertx.core.Future;
import io.vertx.core.Vertx;
import java.time.Duration;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.function.Supplier;

/** Repeats work periodically, skipping a run while the previous one has not ended. */
public final class Periodic {
  private static final Duration SOON = Duration.ofMillis(1);

  private final Vertx vertx;
  private final Supplier<Future<?>> work;
  private final AtomicBoolean running = new AtomicBoolean();
  private final long timer;

  private Periodic(Vertx vertx, Duration first, Duration period, Supplier<Future<?>> work) {
    this.vertx = vertx;
    this.work = work;
    this.timer = vertx.setPeriodic(first.toMillis(), period.toMillis(), _ -> run());
  }

  /** Runs first after one period. {@code work} handles its own failures. */
  public static Periodic every(Vertx vertx, Duration period, Supplier<Future<?>> work) {
    return new Periodic(vertx, period, period, work);
  }

  /** Runs first immediately. {@code work} handles its own failures. */
  public static Periodic nowAndEvery(Vertx vertx, Duration period, Supplier<Future<?>> work) {
    return new Periodic(vertx, SOON, period, work);
  }

  /** Does not interrupt the current run. */
  public void close() {
    vertx.cancelTimer(timer);
  }

  private void run() {
    if (running.compareAndSet(false, true)) {
      work.get().onComplete(_ -> running.set(false));
    }
  }
}
