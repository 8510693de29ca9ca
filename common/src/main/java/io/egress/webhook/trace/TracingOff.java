package io.egress.webhook.trace;

import io.egress.transcript.stream.ProcessedCapture;
import io.egress.webhook.delivery.Delivery;
import io.egress.webhook.endpoint.EndpointUrl;
import org.jspecify.annotations.Nullable;

/** Loads no classes of OpenTelemetry. */
final class TracingOff implements Tracing {
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
