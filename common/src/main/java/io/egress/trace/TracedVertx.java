package io.egress.trace;

import io.egress.metrics.MeasuredVertx;
import io.egress.metrics.Metrics;
import io.egress.settings.TracingSettings;
import io.vertx.core.Vertx;
import java.net.URI;

/** A Vert.x that measures itself, and traces requests and captures where the operator wants it. */
public final class TracedVertx {
  private TracedVertx() {}

  /** {@code service} is what the process is called in traces. */
  public static Vertx create(TracingSettings settings, String service) {
    Metrics metrics = new Metrics();
    URI collector = settings.otlpUrl();
    return collector == null
        ? MeasuredVertx.create(metrics, null)
        : MeasuredVertx.create(
            metrics, RequestTracer.factory(collector, settings, service, metrics));
  }
}
