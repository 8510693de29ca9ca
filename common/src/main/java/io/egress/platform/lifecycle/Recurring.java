package io.egress.platform.lifecycle;

import io.egress.platform.outage.Outage;
import io.vertx.core.Context;
import io.vertx.core.Future;
import io.vertx.core.Promise;
import io.vertx.core.Vertx;
import java.time.Duration;
import java.util.function.Consumer;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Work on virtual threads, at an interval and on request, one run at a time. The interval skips a
 * run while the previous one has not ended; a request during a run causes one more run. A failed
 * run is logged and repeated at the next interval. Thread-safe.
 */
public final class Recurring {
  private static final Logger log = LoggerFactory.getLogger(Recurring.class);

  /** One run, which may block. */
  public interface Work {
    void run() throws Exception;
  }

  private final Vertx vertx;
  private final Context context;
  private final String name;
  private final Work work;
  private Runnable worked;
  private Consumer<Throwable> failed;
  private long timer;
  private boolean running;
  private boolean again;
  private boolean closed;
  private @Nullable Promise<Void> stopped;

  /** {@code name} says what a run does. */
  public Recurring(Vertx vertx, String name, Work work) {
    this.vertx = vertx;
    this.context = vertx.getOrCreateContext();
    this.name = name;
    this.work = work;
    Outage outage = new Outage(log, "Failed; retrying: " + name, "Works again: " + name);
    this.worked = outage::worked;
    this.failed = outage::failed;
  }

  /**
   * A run ends with its future. Java prefers this constructor for a lambda that returns a future,
   * which would otherwise fit {@link Work}, and nobody would see the future fail.
   */
  public Recurring(Vertx vertx, String name, Supplier<Future<?>> work) {
    this(
        vertx,
        name,
        (Work)
            () -> {
              work.get().await();
            });
  }

  /** Failed runs are logged by {@code outage}. */
  public Recurring reporting(Outage outage) {
    worked = outage::worked;
    failed = outage::failed;
    return this;
  }

  /** Failed runs are not logged, but passed to {@code handler}. */
  public Recurring onFailure(Consumer<Throwable> handler) {
    worked = () -> {};
    failed = handler;
    return this;
  }

  /** Starts, with the first run after one interval. */
  public synchronized Recurring every(Duration interval) {
    timer = vertx.setPeriodic(interval.toMillis(), _ -> runIfIdle());
    return this;
  }

  /** Starts, with the first run at once. */
  public Recurring nowAndEvery(Duration interval) {
    every(interval);
    runIfIdle();
    return this;
  }

  /** Runs now, or again if a run is in progress. */
  public synchronized void ask() {
    again = running;
    runIfIdle();
  }

  /** Begins no further run, and does not wait for the current one. */
  public synchronized void close() {
    closed = true;
    vertx.cancelTimer(timer);
  }

  /**
   * Begins no further run; completes, on the context of the start, when the current one has ended.
   */
  public synchronized Future<Void> stop() {
    close();
    if (!running) {
      return Future.succeededFuture();
    }
    Promise<Void> promise = stopped == null ? Promise.promise() : stopped;
    stopped = promise;
    return promise.future();
  }

  private synchronized void runIfIdle() {
    if (!running && !closed) {
      running = true;
      Thread.ofVirtual().name(name).start(this::run);
    }
  }

  private void run() {
    try {
      work.run();
      worked.run();
    } catch (Throwable failure) {
      failed.accept(failure);
    } finally {
      ended();
    }
  }

  private synchronized void ended() {
    running = false;
    Promise<Void> waiting = stopped;
    if (waiting != null) {
      context.runOnContext(_ -> waiting.complete());
    } else if (again) {
      again = false;
      runIfIdle();
    }
  }
}
