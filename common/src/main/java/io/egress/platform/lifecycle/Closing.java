package io.egress.platform.lifecycle;

import io.egress.platform.outage.Reason;
import io.vertx.core.Future;
import java.time.Duration;
import java.util.ArrayDeque;
import java.util.Deque;
import java.util.concurrent.TimeUnit;
import java.util.function.Function;
import java.util.function.Supplier;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * The parts opened by an app, closed in reverse order. Each part gets most of the time that is left
 * until one deadline, so that one that is stuck leaves some to those after it. If a part fails or
 * overruns, this is logged and the remaining parts are closed.
 */
public final class Closing {
  private static final Logger log = LoggerFactory.getLogger(Closing.class);

  /** The time limit of a part, in percent of the remaining time. */
  private static final int TOLD = 75;

  /** How much of it the part gets before the next one is closed. */
  private static final int AWAITED = 85;

  private record Part(String name, Function<Duration, Future<Void>> close) {}

  private final Deque<Part> parts = new ArrayDeque<>();
  private final Duration deadline;
  private boolean closed;

  public Closing(Duration deadline) {
    this.deadline = deadline;
  }

  /** Registers {@code close} to run before everything registered earlier. */
  public synchronized void push(String name, Supplier<Future<Void>> close) {
    pushLimited(name, _ -> close.get());
  }

  /** For parts that wait for clients: {@code close} gets the time that it may take. */
  public synchronized void pushLimited(String name, Function<Duration, Future<Void>> close) {
    parts.push(new Part(name, close));
  }

  /** For parts that close synchronously. */
  public void pushSync(String name, Runnable close) {
    push(
        name,
        () -> {
          close.run();
          return Future.succeededFuture();
        });
  }

  /** Completes once every part has closed or overrun; never fails. Further calls do nothing. */
  public Future<Void> close() {
    synchronized (this) {
      if (closed) {
        return Future.succeededFuture();
      }
      closed = true;
    }
    return closeNext(System.nanoTime() + deadline.toNanos());
  }

  private Future<Void> closeNext(long deadlineNanos) {
    Part part;
    synchronized (this) {
      part = parts.poll();
    }
    if (part == null) {
      return Future.succeededFuture();
    }
    return closeWithin(part, Math.max(0, deadlineNanos - System.nanoTime()))
        .otherwise(failure -> {
          log.warn("Cannot close {}: {}", part.name(), Reason.of(failure));
          return null;
        })
        .compose(_ -> closeNext(deadlineNanos));
  }

  private static Future<Void> closeWithin(Part part, long nanos) {
    try {
      long millis = Math.max(1, TimeUnit.NANOSECONDS.toMillis(nanos * AWAITED / 100));
      Duration told = Duration.ofNanos(nanos * TOLD / 100);
      return part.close().apply(told).timeout(millis, TimeUnit.MILLISECONDS);
    } catch (RuntimeException failure) {
      return Future.failedFuture(failure);
    }
  }
}
