package io.egress.api.sweep;

import io.egress.platform.outage.Outage;
import io.vertx.core.Context;
import io.vertx.core.Future;
import io.vertx.core.Promise;
import io.vertx.core.Vertx;
import java.time.Duration;
import java.util.concurrent.TimeUnit;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Work that runs at an interval and on request, one run at a time. A request during a run causes
 * one more run. Runs keep a minimum distance, because a run costs about the same for one capture
 * and for ten. A failed run is repeated at the next interval.
 */
final class Recurring {
  private static final Logger log = LoggerFactory.getLogger(Recurring.class);

  /**
   * When to run.
   *
   * @param interval the time between runs without requests
   * @param apart the minimum time from start to start
   */
  record Rhythm(Duration interval, Duration apart) {}

  private final Vertx vertx;
  private final Context context;
  private final Outage outage;
  private final Progress progress;
  private final Supplier<Future<?>> work;
  private final long apartMillis;
  private final long timer;

  private long startedMillis;
  private boolean running;
  private boolean waiting;
  private boolean again;
  private @Nullable Promise<Void> stopped;

  /** Runs on {@code context}; {@link #ask} and {@link #stop} may be called from any thread. */
  Recurring(
      Vertx vertx,
      Context context,
      String name,
      Rhythm rhythm,
      Progress progress,
      Supplier<Future<?>> work) {
    this.vertx = vertx;
    this.context = context;
    this.outage = new Outage(log, "Failed; retrying: " + name, "Works again: " + name);
    this.progress = progress;
    this.work = work;
    this.apartMillis = rhythm.apart().toMillis();
    this.startedMillis = millis() - apartMillis;
    this.timer = vertx.setPeriodic(rhythm.interval().toMillis(), tick -> ask());
  }

  void ask() {
    context.runOnContext(
        asked -> {
          again = true;
          runIfIdle();
        });
  }

  /** Completes when the current run, if any, has ended. */
  Future<Void> stop() {
    vertx.cancelTimer(timer);
    Promise<Void> promise = Promise.promise();
    context.runOnContext(
        asked -> {
          stopped = promise;
          if (!running) {
            promise.complete();
          }
        });
    return promise.future();
  }

  private void runIfIdle() {
    if (running || waiting || !again || stopped != null) {
      return;
    }
    long sinceStart = millis() - startedMillis;
    if (sinceStart < apartMillis) {
      waiting = true;
      vertx.setTimer(apartMillis - sinceStart, apart -> waited());
    } else {
      run();
    }
  }

  private void waited() {
    context.runOnContext(
        apart -> {
          waiting = false;
          runIfIdle();
        });
  }

  private void run() {
    startedMillis = millis();
    running = true;
    again = false;
    start()
        .onComplete(
            done ->
                context.runOnContext(
                    ended -> {
                      tell(done.cause());
                      running = false;
                      Promise<Void> waiting = stopped;
                      if (waiting != null) {
                        waiting.complete();
                      } else {
                        runIfIdle();
                      }
                    }));
  }

  private static long millis() {
    return TimeUnit.NANOSECONDS.toMillis(System.nanoTime());
  }

  private Future<?> start() {
    try {
      return work.get();
    } catch (RuntimeException failure) {
      return Future.failedFuture(failure);
    }
  }

  private void tell(@Nullable Throwable failure) {
    if (failure == null) {
      progress.moved();
      outage.worked();
    } else {
      progress.failed();
      outage.failed(failure);
    }
  }
}
