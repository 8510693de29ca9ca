package io.egress.platform.outage;

import io.vertx.core.Future;
import io.vertx.core.Promise;
import io.vertx.core.Vertx;
import java.time.Duration;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.function.Predicate;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Probes a backend at once and then periodically. Health, metrics and the log show the same state,
 * even if nothing uses the backend. Thread-safe.
 */
public final class BackendWatch {
  private static final Logger log = LoggerFactory.getLogger(BackendWatch.class);

  /** Those of all roles of this process. */
  private static final Set<BackendWatch> WATCHES = ConcurrentHashMap.newKeySet();

  private static final Duration PERIOD_WHILE_DOWN = Duration.ofSeconds(1);

  /** A client that has just started has yet to connect, and its code to be compiled. */
  private static final Duration FIRST_ANSWER_MAX = Duration.ofSeconds(15);

  private final Vertx vertx;
  private final Duration period;
  private final Duration answerMax;
  private final Probe probe;
  private final Outage outage;
  private final Predicate<Throwable> isCause;
  private final Promise<Void> firstProbe = Promise.promise();
  private volatile boolean up;
  private volatile boolean closed;

  private BackendWatch(
      Vertx vertx,
      Outage outage,
      Duration period,
      Duration answerMax,
      Probe probe,
      Predicate<Throwable> isCause) {
    this.isCause = isCause;
    this.vertx = vertx;
    this.outage = outage;
    this.period = period;
    this.answerMax = answerMax;
    this.probe = probe;
  }

  /**
   * Probes every {@code period} while the backend is up.
   *
   * @param role which role of the process asks: each sees the backend for itself
   * @param answerMax how long an answer may take; the first one may take longer
   * @param isCause whether the backend, if it is away, may be the cause of a failure
   */
  public static BackendWatch start(
      Vertx vertx,
      String backend,
      String role,
      Duration period,
      Duration answerMax,
      Probe probe,
      Predicate<Throwable> isCause) {
    BackendWatch watch =
        new BackendWatch(
            vertx,
            Outage.ofItsOwn(
                log,
                backend + " does not answer",
                backend + " answers again",
                Map.of("role", role)),
            period,
            answerMax,
            probe,
            isCause);
    WATCHES.add(watch);
    vertx.runOnContext(_ -> watch.probeOnce());
    return watch;
  }

  /** Whether a backend of this process that is away may be the cause of the failure. */
  static boolean hasReported(Throwable failure) {
    return WATCHES.stream()
        .anyMatch(each -> !each.up && each.firstProbe().isComplete() && each.mayCause(failure));
  }

  /** Whether a backend of this process may be the cause of the failure. */
  static boolean mayReport(Throwable failure) {
    return WATCHES.stream().anyMatch(each -> each.mayCause(failure));
  }

  private boolean mayCause(Throwable failure) {
    for (Throwable each = failure; each != null; each = each.getCause()) {
      if (isCause.test(each)) {
        return true;
      }
    }
    return false;
  }

  /** Whether the last probe was answered; false before the first one. */
  public boolean isUp() {
    return up;
  }

  /** Completes when the first probe was answered, or was not in time. */
  public Future<Void> firstProbe() {
    return firstProbe.future();
  }

  /** A probe that is cut off afterwards is no outage. */
  public void close() {
    closed = true;
    WATCHES.remove(this);
  }

  private void probeOnce() {
    if (closed) {
      return;
    }
    probe
        .answer(firstProbe().isComplete() ? answerMax : FIRST_ANSWER_MAX)
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
          firstProbe.tryComplete();
          vertx.setTimer((up ? period : PERIOD_WHILE_DOWN).toMillis(), _ -> probeOnce());
        });
  }
}
