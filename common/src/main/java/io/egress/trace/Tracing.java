package io.egress.trace;

import io.egress.delivery.Delivery;
import io.egress.endpoint.EndpointUrl;
import io.egress.kafka.ProcessedCapture;
import io.vertx.core.Vertx;
import io.vertx.core.internal.VertxInternal;
import io.vertx.core.tracing.TracingPolicy;
import org.jspecify.annotations.Nullable;

/**
 * Creates spans for the stages of a capture. A stage that does not follow a traced one has no span,
 * and only sampled traces have a {@code traceparent}: without one, there is nothing to do.
 */
public interface Tracing {
  /** Traces nothing; captures traced elsewhere keep their {@code traceparent}. */
  Tracing OFF = new TracingOff();

  /** The policy of a listener that continues a caller's trace. */
  TracingPolicy FOLLOWS_CALLERS = TracingPolicy.PROPAGATE;

  /** The policy of a public listener: otherwise anybody could have all requests traced. */
  TracingPolicy IGNORES_CALLERS = TracingPolicy.ALWAYS;

  /** A tracer of Vert.x that provides a {@link Tracing}. */
  interface Source {
    Tracing tracing();
  }

  /** The tracing of a {@code vertx} created by {@link TracedVertx}. */
  static Tracing of(Vertx vertx) {
    return ((VertxInternal) vertx).tracer() instanceof Source source ? source.tracing() : OFF;
  }

  /** The request being served in the current context; null if it has no span. */
  @Nullable RequestSpan request();

  /** A capture is published to {@code topic}. */
  @Nullable StageSpan publish(ProcessedCapture capture, String topic);

  /** The deliveries of a capture read from {@code topic} are published. */
  @Nullable StageSpan fanOut(ProcessedCapture capture, String topic);

  /** An attempt begins; {@code url} is null if it is invalid. */
  @Nullable AttemptSpan attempt(Delivery delivery, @Nullable EndpointUrl url);
}
