package io.egress.platform.http;

import io.egress.platform.metrics.Buckets;
import io.egress.platform.metrics.Metrics;
import io.micrometer.core.instrument.Timer;
import io.vertx.core.AsyncResult;
import io.vertx.core.http.HttpServerResponse;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.TimeUnit;

/** Counts and times the calls of one kind, by outcome. */
public final class CallMeter {
  private final Timer ok;
  private final Timer refused;
  private final Timer unavailable;
  private final Timer failed;
  private final Timer gone;

  /** {@code labels} are pairs, in addition to the outcome. */
  public CallMeter(Metrics metrics, String name, String meaning, String... labels) {
    this.ok = timer(metrics, name, meaning, "ok", labels);
    this.refused = timer(metrics, name, meaning, "refused", labels);
    this.unavailable = timer(metrics, name, meaning, "unavailable", labels);
    this.failed = timer(metrics, name, meaning, "failed", labels);
    this.gone = timer(metrics, name, meaning, "client_gone", labels);
  }

  /**
   * {@code startNanos} is the {@link System#nanoTime} of the call's arrival. {@code result} failed
   * if the response was cut off, whatever its status.
   */
  public void ended(AsyncResult<?> result, HttpServerResponse response, long startNanos) {
    outcome(result, response.getStatusCode())
        .record(System.nanoTime() - startNanos, TimeUnit.NANOSECONDS);
  }

  private Timer outcome(AsyncResult<?> result, int status) {
    if (result.cause() instanceof ClientGoneException) {
      return gone;
    }
    if (status < 400) {
      return result.succeeded() ? ok : failed;
    }
    if (status < 500) {
      return refused;
    }
    return status == 503 ? unavailable : failed;
  }

  private static Timer timer(
      Metrics metrics, String name, String meaning, String outcome, String... labels) {
    List<String> all = new ArrayList<>(List.of("outcome", outcome));
    all.addAll(List.of(labels));
    return metrics.timer(name, meaning, Buckets.CALL, all.toArray(String[]::new));
  }
}
