package io.egress.outage;

import static java.util.Objects.requireNonNull;

import io.egress.lifecycle.Periodic;
import io.vertx.core.Future;
import io.vertx.core.Vertx;
import java.time.Duration;
import java.util.concurrent.TimeUnit;
import java.util.function.Supplier;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Checks a backend periodically, so that the log shows when it went down and came back even if
 * nothing used it. Kafka clients do not report it themselves.
 */
public final class BackendWatch {
  private static final Logger log = LoggerFactory.getLogger(BackendWatch.class);
  private static final Duration PERIOD = Duration.ofSeconds(3);
  private static final Duration ANSWER_MAX = Duration.ofSeconds(4);

  private final Supplier<Future<?>> question;
  private final Outage outage;
  private final Periodic asking;
  private volatile double up = Double.NaN;

  private BackendWatch(Vertx vertx, String backend, Supplier<Future<?>> question) {
    this.question = requireNonNull(question, "question is null");
    this.outage = new Outage(log, backend + " does not answer", backend + " answers again");
    this.asking = Periodic.every(vertx, PERIOD, this::ask);
  }

  public static BackendWatch start(Vertx vertx, String backend, Supplier<Future<?>> question) {
    return new BackendWatch(vertx, requireNonNull(backend, "backend is null"), question);
  }

  /** 1 if it answered last time, 0 if it did not, NaN before the first check. */
  public double up() {
    return up;
  }

  public Future<Void> close() {
    asking.close();
    return Future.succeededFuture();
  }

  private Future<?> ask() {
    return asked()
        .timeout(ANSWER_MAX.toMillis(), TimeUnit.MILLISECONDS)
        .onSuccess(
            answer -> {
              up = 1;
              outage.worked();
            })
        .onFailure(
            failure -> {
              up = 0;
              outage.failed(failure);
            });
  }

  private Future<?> asked() {
    try {
      return question.get();
    } catch (RuntimeException failure) {
      return Future.failedFuture(failure);
    }
  }
}
