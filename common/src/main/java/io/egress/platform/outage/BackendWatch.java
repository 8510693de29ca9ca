package io.egress.platform.outage;

import io.vertx.core.Future;
import io.vertx.core.Promise;
import io.vertx.core.Vertx;
import java.time.Duration;
import java.util.concurrent.TimeUnit;
import java.util.function.Supplier;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Knows whether a backend is up, because it asks at once and then periodically. Health, metrics and
 * the log show the same state, even if nothing uses the backend. Thread-safe.
 */
public final class BackendWatch {
  private static final Logger log = LoggerFactory.getLogger(BackendWatch.class);
  private static final Duration PERIOD_WHILE_DOWN = Duration.ofSeconds(1);
  private static final Duration ANSWER_MAX = Duration.ofSeconds(4);

  private final Vertx vertx;
  private final Duration period;
  private final Supplier<Future<?>> question;
  private final Outage outage;
  private final Promise<Void> asked = Promise.promise();
  private volatile boolean up;
  private volatile boolean closed;

  private BackendWatch(Vertx vertx, Outage outage, Duration period, Supplier<Future<?>> question) {
    this.vertx = vertx;
    this.outage = outage;
    this.period = period;
    this.question = question;
  }

  /** Asks every {@code period} while the backend is up. */
  public static BackendWatch start(
      Vertx vertx, String backend, Duration period, Supplier<Future<?>> question) {
    Outage outage = new Outage(log, backend + " does not answer", backend + " answers again");
    BackendWatch watch = new BackendWatch(vertx, outage, period, question);
    vertx.runOnContext(_ -> watch.ask());
    return watch;
  }

  /** Whether the last question was answered; false before the first answer. */
  public boolean isUp() {
    return up;
  }

  /** Completes when the first question was answered, or was not in time. */
  public Future<Void> asked() {
    return asked.future();
  }

  /** A question that is cut off afterwards is no outage. */
  public void close() {
    closed = true;
  }

  private void ask() {
    if (closed) {
      return;
    }
    answer()
        .timeout(ANSWER_MAX.toMillis(), TimeUnit.MILLISECONDS)
        .onSuccess(_ -> {
          up = true;
          outage.worked();
        })
        .onFailure(failure -> {
          if (!closed) {
            up = false;
            outage.failed(failure);
          }
        })
        .onComplete(_ -> {
          asked.tryComplete();
          vertx.setTimer((up ? period : PERIOD_WHILE_DOWN).toMillis(), _ -> ask());
        });
  }

  private Future<?> answer() {
    try {
      return question.get();
    } catch (RuntimeException failure) {
      return Future.failedFuture(failure);
    }
  }
}
