package io.egress.platform.metrics;

import io.egress.platform.vertx.VertxInternals;
import io.micrometer.core.instrument.Timer;
import io.netty.channel.EventLoop;
import io.netty.util.concurrent.ScheduledFuture;
import io.vertx.core.Context;
import io.vertx.core.Future;
import io.vertx.core.Promise;
import io.vertx.core.Vertx;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;

/** The event loops of a Vert.x: whether they run, and how late they are. */
public final class EventLoops {
  private static final Duration MEASURING_PERIOD = Duration.ofSeconds(1);

  private final Vertx vertx;
  private final List<EventLoop> loops;
  private final List<ScheduledFuture<?>> timers = new ArrayList<>();

  public EventLoops(Vertx vertx) {
    this.vertx = vertx;
    this.loops = VertxInternals.eventLoops(vertx);
  }

  /** Completes once every event loop has run a task. */
  public Future<Void> ping() {
    Promise<Void> answered = Promise.promise();
    Context caller = vertx.getOrCreateContext();
    AtomicInteger missing = new AtomicInteger(loops.size());
    for (EventLoop loop : loops) {
      loop.execute(() -> {
        if (missing.decrementAndGet() == 0) {
          caller.runOnContext(_ -> answered.complete());
        }
      });
    }
    return answered.future();
  }

  /** Starts measuring how late each event loop runs its timers. */
  public void measure(Metrics metrics) {
    Timer delay =
        metrics.timer(
            "egress_event_loop_delay_seconds", "delay of timers on event loops", Buckets.CALL);
    for (EventLoop loop : loops) {
      timers.add(
          loop.scheduleAtFixedRate(
              new Lateness(delay),
              MEASURING_PERIOD.toNanos(),
              MEASURING_PERIOD.toNanos(),
              TimeUnit.NANOSECONDS));
    }
  }

  public void close() {
    timers.forEach(timer -> timer.cancel(false));
  }

  private static final class Lateness implements Runnable {
    private final Timer delay;
    private long dueNanos = System.nanoTime() + MEASURING_PERIOD.toNanos();

    private Lateness(Timer delay) {
      this.delay = delay;
    }

    @Override
    public void run() {
      delay.record(Math.max(0, System.nanoTime() - dueNanos), TimeUnit.NANOSECONDS);
      dueNanos += MEASURING_PERIOD.toNanos();
    }
  }
}
