package io.egress.api.background;

import io.egress.platform.outage.Outage;
import io.vertx.core.Context;
import io.vertx.core.Future;
import io.vertx.core.Promise;
import io.vertx.core.Vertx;
import java.time.Duration;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Work on virtual threads, which runs at once, at an interval and on request, one run at a time. A
 * request during a run causes one more run. A failed run is repeated at the next interval.
 */
public final class Recurring {
  private static final Logger log = LoggerFactory.getLogger(Recurring.class);

  private final Vertx vertx;
  private final Context context;
  private final String name;
  private final Outage outage;
  private final Runnable work;
  private final long timer;

  private boolean running;
  private boolean again;
  private @Nullable Promise<Void> stopped;

  /** Runs on the current context; {@link #ask} and {@link #stop} may be called from any thread. */
  public Recurring(Vertx vertx, String name, Duration interval, Runnable work) {
    this.vertx = vertx;
    this.name = name;
    this.context = vertx.getOrCreateContext();
    this.outage = new Outage(log, "Failed; retrying: " + name, "Works again: " + name);
    this.work = work;
    this.timer = vertx.setPeriodic(interval.toMillis(), _ -> ask());
    ask();
  }

  public void ask() {
    context.runOnContext(_ -> {
      again = true;
      runIfIdle();
    });
  }

  /** Completes when the current run, if any, has ended. */
  public Future<Void> stop() {
    vertx.cancelTimer(timer);
    Promise<Void> promise = Promise.promise();
    context.runOnContext(_ -> {
      stopped = promise;
      if (!running) {
        promise.complete();
      }
    });
    return promise.future();
  }

  private void runIfIdle() {
    if (running || !again || stopped != null) {
      return;
    }
    running = true;
    again = false;
    Thread.ofVirtual().name(name).start(this::run);
  }

  private void run() {
    Throwable failure = null;
    try {
      work.run();
    } catch (Throwable thrown) {
      failure = thrown;
    }
    Throwable outcome = failure;
    context.runOnContext(_ -> end(outcome));
  }

  private void end(@Nullable Throwable failure) {
    if (failure == null) {
      outage.worked();
    } else {
      outage.failed(failure);
    }
    running = false;
    if (stopped != null) {
      stopped.complete();
    } else {
      runIfIdle();
    }
  }
}
