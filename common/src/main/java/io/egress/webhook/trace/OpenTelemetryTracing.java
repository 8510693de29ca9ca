package io.egress.webhook.trace;

import io.egress.platform.trace.RequestTracing;
import io.egress.transcript.stream.ProcessedCapture;
import io.egress.webhook.delivery.Delivery;
import io.egress.webhook.endpoint.EndpointUrl;
import io.egress.webhook.send.Outcome;
import io.opentelemetry.api.OpenTelemetry;
import io.opentelemetry.api.common.AttributeKey;
import io.opentelemetry.api.trace.Span;
import io.opentelemetry.api.trace.SpanBuilder;
import io.opentelemetry.api.trace.SpanKind;
import io.opentelemetry.api.trace.StatusCode;
import io.opentelemetry.api.trace.Tracer;
import io.opentelemetry.api.trace.propagation.W3CTraceContextPropagator;
import io.opentelemetry.context.Context;
import io.opentelemetry.context.propagation.TextMapGetter;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * Creates spans with the names and attributes of OpenTelemetry's semantic conventions. Of a
 * receiver's URL they show only host and port: the rest may be a secret.
 */
final class OpenTelemetryTracing implements Tracing {
  private static final String SCOPE = "io.egress";
  private static final String HEADER = "traceparent";

  private static final AttributeKey<String> SYSTEM = AttributeKey.stringKey("messaging.system");
  private static final AttributeKey<String> DESTINATION =
      AttributeKey.stringKey("messaging.destination.name");
  private static final AttributeKey<String> OPERATION =
      AttributeKey.stringKey("messaging.operation.name");
  private static final AttributeKey<String> OPERATION_TYPE =
      AttributeKey.stringKey("messaging.operation.type");
  private static final AttributeKey<String> METHOD = AttributeKey.stringKey("http.request.method");
  private static final AttributeKey<Long> STATUS =
      AttributeKey.longKey("http.response.status_code");
  private static final AttributeKey<Long> RESEND_COUNT =
      AttributeKey.longKey("http.request.resend_count");
  private static final AttributeKey<String> HOST = AttributeKey.stringKey("server.address");
  private static final AttributeKey<Long> PORT = AttributeKey.longKey("server.port");
  private static final AttributeKey<String> ERROR = AttributeKey.stringKey("error.type");
  private static final AttributeKey<String> WORKSPACE =
      AttributeKey.stringKey("egress.workspace.id");
  private static final AttributeKey<String> CAPTURE = AttributeKey.stringKey("egress.capture.id");
  private static final AttributeKey<Long> POSITION = AttributeKey.longKey("egress.position");
  private static final AttributeKey<String> ENDPOINT = AttributeKey.stringKey("egress.endpoint.id");
  private static final AttributeKey<String> DELIVERY = AttributeKey.stringKey("egress.delivery.id");
  private static final AttributeKey<Long> ATTEMPT = AttributeKey.longKey("egress.attempt");
  private static final AttributeKey<String> OUTCOME = AttributeKey.stringKey("egress.outcome");

  private final Tracer tracer;
  private final boolean toReceivers;

  /** {@code toReceivers} tells whether receivers get a {@code traceparent}. */
  OpenTelemetryTracing(OpenTelemetry telemetry, boolean toReceivers) {
    this.tracer = telemetry.getTracer(SCOPE);
    this.toReceivers = toReceivers;
  }

  @Override
  public @Nullable StageSpan publish(ProcessedCapture capture, String topic) {
    return message(capture, SpanKind.PRODUCER, "send", topic);
  }

  @Override
  public @Nullable StageSpan fanOut(ProcessedCapture capture, String topic) {
    return message(capture, SpanKind.CONSUMER, "process", topic);
  }

  @Override
  public @Nullable AttemptSpan attempt(Delivery delivery, @Nullable EndpointUrl url) {
    Context parent = context(delivery.traceparent());
    if (parent == null) {
      return null;
    }
    SpanBuilder span =
        tracer
            .spanBuilder("POST webhook")
            .setParent(parent)
            .setSpanKind(SpanKind.CLIENT)
            .setAttribute(METHOD, "POST")
            .setAttribute(DELIVERY, delivery.id().toString())
            .setAttribute(ENDPOINT, delivery.endpointId().toString())
            .setAttribute(CAPTURE, delivery.captureId().toString())
            .setAttribute(ATTEMPT, delivery.attempt());
    if (delivery.attempt() > 1) {
      span.setAttribute(RESEND_COUNT, delivery.attempt() - 1);
    }
    if (url != null) {
      span.setAttribute(HOST, url.host()).setAttribute(PORT, url.port());
    }
    return new Attempt(span.startSpan(), toReceivers);
  }

  private @Nullable StageSpan message(
      ProcessedCapture capture, SpanKind kind, String operation, String topic) {
    Context parent = context(capture.traceparent());
    return parent == null
        ? null
        : new Stage(
            tracer
                .spanBuilder(operation + " " + topic)
                .setParent(parent)
                .setSpanKind(kind)
                .setAttribute(SYSTEM, "kafka")
                .setAttribute(DESTINATION, topic)
                .setAttribute(OPERATION, operation)
                .setAttribute(OPERATION_TYPE, operation)
                .setAttribute(WORKSPACE, capture.workspaceId().toString())
                .setAttribute(CAPTURE, capture.captureId().toString())
                .setAttribute(POSITION, capture.position())
                .startSpan());
  }

  /** Null if there is no parent, or none that can be parsed. */
  private static @Nullable Context context(@Nullable String traceparent) {
    if (traceparent == null) {
      return null;
    }
    Context parent =
        W3CTraceContextPropagator.getInstance()
            .extract(Context.root(), traceparent, HeaderAlone.GETTER);
    return Span.fromContext(parent).getSpanContext().isSampled() ? parent : null;
  }

  private enum HeaderAlone implements TextMapGetter<String> {
    GETTER;

    @Override
    public Iterable<String> keys(String traceparent) {
      return List.of(HEADER);
    }

    @Override
    public @Nullable String get(@Nullable String traceparent, String key) {
      return key.equals(HEADER) ? traceparent : null;
    }
  }

  private record Stage(Span span) implements StageSpan {
    @Override
    public String traceparent() {
      return RequestTracing.traceparent(span.getSpanContext());
    }

    @Override
    public void end(@Nullable Throwable failure) {
      if (failure != null) {
        span.setStatus(StatusCode.ERROR, failure.toString())
            .setAttribute(ERROR, failure.getClass().getName());
      }
      span.end();
    }
  }

  private record Attempt(Span span, boolean toReceivers) implements AttemptSpan {
    @Override
    public @Nullable String traceparent() {
      return toReceivers ? RequestTracing.traceparent(span.getSpanContext()) : null;
    }

    @Override
    public void end(Outcome outcome) {
      switch (outcome) {
        case Outcome.Delivered delivered ->
            span.setAttribute(OUTCOME, "delivered").setAttribute(STATUS, delivered.status());
        case Outcome.Failed failed -> fail(failed);
        case Outcome.Aborted _ -> span.setAttribute(OUTCOME, "aborted");
      }
      span.end();
    }

    private void fail(Outcome.Failed failed) {
      Integer status = failed.status();
      span.setAttribute(OUTCOME, failed.kind().word())
          .setAttribute(ERROR, status == null ? failed.kind().word() : status.toString())
          .setStatus(StatusCode.ERROR);
      if (status != null) {
        span.setAttribute(STATUS, status);
      }
    }
  }
}
