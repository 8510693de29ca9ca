package io.egress.platform.trace;

import io.egress.platform.metrics.MeasuredVertx;
import io.egress.platform.metrics.Metrics;
import io.egress.platform.vertx.VertxInternals;
import io.opentelemetry.api.OpenTelemetry;
import io.vertx.core.Vertx;
import io.vertx.core.tracing.TracingPolicy;
import java.net.URI;

/** Creates a Vert.x with metrics, and with tracing if it is configured. */
public final class TracedVertx {
  /** The policy of a listener that continues a caller's trace. */
  public static final TracingPolicy FOLLOWS_CALLERS = TracingPolicy.PROPAGATE;

  /** The policy of a public listener: otherwise anybody could have all requests traced. */
  public static final TracingPolicy IGNORES_CALLERS = TracingPolicy.ALWAYS;

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

  /** Where spans are created; does nothing if tracing is off. */
  public static OpenTelemetry telemetry(Vertx vertx) {
    return VertxInternals.tracer(vertx) instanceof RequestTracer tracer
        ? tracer.telemetry()
        : OpenTelemetry.noop();
  }

  /** Whether receivers get a {@code traceparent}. */
  public static boolean tracesReceivers(Vertx vertx) {
    return VertxInternals.tracer(vertx) instanceof RequestTracer tracer && tracer.toReceivers();
  }
}
