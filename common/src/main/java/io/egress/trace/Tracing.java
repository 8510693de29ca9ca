package io.egress.trace;

import io.egress.delivery.Delivery;
import io.egress.endpoint.EndpointUrl;
import io.egress.kafka.ProcessedCapture;
import io.vertx.core.Vertx;
import io.vertx.core.internal.VertxInternal;
import io.vertx.core.tracing.TracingPolicy;
import org.jspecify.annotations.Nullable;

/**
 * The stages of a capture as spans. A stage that does not follow a traced one has no span, and a
 * {@code traceparent} exists for sampled traces only: where there is none, there is nothing to do.
 */
public interface Tracing {
  /** Nothing is traced; what was traced elsewhere keeps its {@code traceparent}. */
  Tracing OFF = new TracingOff();

  /** The policy of a listener on which a caller's {@code traceparent} decides. */
  TracingPolicy FOLLOWS_CALLERS = TracingPolicy.PROPAGATE;

  /** The policy of one for anybody, who could otherwise have all requests traced. */
  TracingPolicy IGNORES_CALLERS = TracingPolicy.ALWAYS;

  /** A tracer of Vert.x that has one. */
  interface Source {
    Tracing tracing();
  }

  /** What {@code vertx} was created with by {@link TracedVertx}. */
  static Tracing of(Vertx vertx) {
    return ((VertxInternal) vertx).tracer() instanceof Source source ? source.tracing() : OFF;
  }

  /** The request being served in the current context; null where it has no span. */
  @Nullable RequestSpan request();

  /** A capture is published to {@code topic}. */
  @Nullable StageSpan publish(ProcessedCapture capture, String topic);

  /** A capture read from {@code topic} becomes deliveries. */
  @Nullable StageSpan fanOut(ProcessedCapture capture, String topic);

  /** An attempt begins; {@code url} is null where it cannot be used. */
  @Nullable AttemptSpan attempt(Delivery delivery, @Nullable EndpointUrl url);
}
