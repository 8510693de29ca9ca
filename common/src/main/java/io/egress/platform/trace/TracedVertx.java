package io.egress.platform.trace;

import io.egress.platform.metrics.MeasuredVertx;
import io.egress.platform.metrics.Metrics;
import io.vertx.core.Vertx;
import java.net.URI;

/** Creates a Vert.x with metrics, and with tracing if it is configured. */
public final class TracedVertx {
  private TracedVertx() {}

  /** {@code service} is the process's name in traces. */
  public static Vertx create(TracingSettings settings, String service) {
    Metrics metrics = new Metrics();
    URI collector = settings.otlpUrl();
    return collector == null
        ? MeasuredVertx.create(metrics, null)
        : MeasuredVertx.create(
            metrics, RequestTracer.factory(collector, settings, service, metrics));
  }
}
