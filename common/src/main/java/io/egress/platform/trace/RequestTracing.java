package io.egress.platform.trace;

import io.egress.platform.vertx.VertxInternals;
import io.opentelemetry.api.OpenTelemetry;
import io.opentelemetry.api.trace.SpanContext;
import io.vertx.core.Vertx;
import io.vertx.core.tracing.TracingPolicy;
import org.jspecify.annotations.Nullable;

/** The tracing of a {@code vertx} created by {@link TracedVertx}. */
public interface RequestTracing {
  /** The policy of a listener that continues a caller's trace. */
  TracingPolicy FOLLOWS_CALLERS = TracingPolicy.PROPAGATE;

  /** The policy of a public listener: otherwise anybody could have all requests traced. */
  TracingPolicy IGNORES_CALLERS = TracingPolicy.ALWAYS;

  /** Null without tracing; no class of OpenTelemetry is loaded then. */
  static @Nullable RequestTracing of(Vertx vertx) {
    return VertxInternals.tracer(vertx) instanceof RequestTracing tracing ? tracing : null;
  }

  /** The request being served in the current context of {@code vertx}; null without a span. */
  static @Nullable RequestSpan request(Vertx vertx) {
    RequestTracing tracing = of(vertx);
    return tracing == null ? null : tracing.request();
  }

  static String traceparent(SpanContext span) {
    return "00-" + span.getTraceId() + "-" + span.getSpanId() + "-" + span.getTraceFlags().asHex();
  }

  /** The request being served in the current context; null if it has no span. */
  @Nullable RequestSpan request();

  /** Where other spans are created. */
  OpenTelemetry telemetry();

  /** Whether receivers get a {@code traceparent}. */
  boolean toReceivers();
}
