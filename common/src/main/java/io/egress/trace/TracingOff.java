package io.egress.trace;

import io.egress.delivery.Delivery;
import io.egress.endpoint.EndpointUrl;
import io.egress.kafka.ProcessedCapture;
import org.jspecify.annotations.Nullable;

/** Loads no classes of OpenTelemetry. */
final class TracingOff implements Tracing {
  @Override
  public @Nullable RequestSpan request() {
    return null;
  }

  @Override
  public @Nullable StageSpan publish(ProcessedCapture capture, String topic) {
    return null;
  }

  @Override
  public @Nullable StageSpan fanOut(ProcessedCapture capture, String topic) {
    return null;
  }

  @Override
  public @Nullable AttemptSpan attempt(Delivery delivery, @Nullable EndpointUrl url) {
    return null;
  }
}
