package io.egress.webhook.trace;

import io.egress.platform.trace.RequestTracing;
import io.egress.transcript.stream.ProcessedCapture;
import io.egress.webhook.delivery.Delivery;
import io.egress.webhook.endpoint.EndpointUrl;
import io.vertx.core.Vertx;
import org.jspecify.annotations.Nullable;

/**
 * Creates spans for the stages of a capture. A stage that does not follow a traced one has no span,
 * and only sampled traces have a {@code traceparent}: without one, there is nothing to do.
 */
public interface Tracing {
  /** Traces nothing; captures traced elsewhere keep their {@code traceparent}. */
  Tracing OFF = new TracingOff();

  /** The tracing of a {@code vertx} created by {@code TracedVertx}. */
  static Tracing of(Vertx vertx) {
    RequestTracing requests = RequestTracing.of(vertx);
    return requests == null
        ? OFF
        : new OpenTelemetryTracing(requests.telemetry(), requests.toReceivers());
  }

  /** A capture is published to {@code topic}. */
  @Nullable StageSpan publish(ProcessedCapture capture, String topic);

  /** The deliveries of a capture read from {@code topic} are published. */
  @Nullable StageSpan fanOut(ProcessedCapture capture, String topic);

  /** An attempt begins; {@code url} is null if it is invalid. */
  @Nullable AttemptSpan attempt(Delivery delivery, @Nullable EndpointUrl url);
}
