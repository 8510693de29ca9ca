package io.egress.platform.outage;

import io.vertx.core.Future;
import io.vertx.core.Vertx;
import java.time.Duration;
import java.util.concurrent.TimeUnit;
import java.util.function.Predicate;
import java.util.function.Supplier;
import org.slf4j.Logger;

/** A startup step that waits for a backend. */
public final class Startup {
  private static final Duration WAIT_MAX = Duration.ofMinutes(3);
  private static final Duration PAUSE = Duration.ofSeconds(1);

  private final Vertx vertx;
  private final Predicate<Throwable> temporary;
  private final Outage outage;
  private final long endNanos = System.nanoTime() + WAIT_MAX.toNanos();

  /**
   * Retries {@code temporary} failures for three minutes.
   *
   * @param backend its name in the log
   */
  public Startup(Vertx vertx, Logger log, String backend, Predicate<Throwable> temporary) {
    this(
        vertx,
        Outage.ofItsOwn(log, backend + " does not answer; waiting for it", backend + " answers"),
        temporary);
  }

  /** The same, with words of its own. */
  public Startup(Vertx vertx, Outage outage, Predicate<Throwable> temporary) {
    this.vertx = vertx;
    this.temporary = temporary;
    this.outage = outage;
  }

  public <T> Future<T> await(Supplier<Future<T>> step) {
    return step.get()
        .onSuccess(_ -> outage.worked())
        .recover(failure -> {
          if (!temporary.test(failure) || System.nanoTime() - endNanos > 0) {
            return Future.failedFuture(failure);
          }
          outage.failed(failure);
          return vertx.timer(PAUSE.toMillis(), TimeUnit.MILLISECONDS).compose(_ -> await(step));
        });
  }
}
