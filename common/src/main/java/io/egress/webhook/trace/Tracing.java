package io.egress.webhook.trace;

import io.egress.platform.trace.TracedVertx;
import io.egress.platform.trace.Traceparent;
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
import io.opentelemetry.context.Context;
import io.vertx.core.AsyncResult;
import io.vertx.core.Vertx;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * Creates spans for the stages of a capture, with the names and attributes of OpenTelemetry's
 * semantic conventions. A stage that does not follow a sampled one has no span, and so costs
 * nothing. Of a receiver's URL, spans contain only host and port: the rest may be a secret.
 */
public final class Tracing {
  private static final String SCOPE = "io.egress";

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
  public Tracing(OpenTelemetry telemetry, boolean toReceivers) {
    this.tracer = telemetry.getTracer(SCOPE);
    this.toReceivers = toReceivers;
  }

  /** The tracing of a {@code vertx} created by {@link TracedVertx}. */
  public static Tracing of(Vertx vertx) {
    return new Tracing(TracedVertx.telemetry(vertx), TracedVertx.tracesReceivers(vertx));
  }

  /** The stages of captures that are processed together, and end together. */
  public final class Batch {
    private final List<Span> spans = new ArrayList<>();

    /**
     * The capture is published to {@code topic}. Returns the parent of the next stage, which is the
     * capture's own if it is not traced here.
     */
    public @Nullable String publish(ProcessedCapture capture, String topic) {
      return add(capture, SpanKind.PRODUCER, "send", topic);
    }

    /** The deliveries of the capture read from {@code topic} are published. */
    public @Nullable String fanOut(ProcessedCapture capture, String topic) {
      return add(capture, SpanKind.CONSUMER, "process", topic);
    }

    private @Nullable String add(
        ProcessedCapture capture, SpanKind kind, String operation, String topic) {
      Context parent = Traceparent.sampled(capture.traceparent());
      if (parent == null) {
        return capture.traceparent();
      }
      Span span =
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
              .startSpan();
      spans.add(span);
      return Traceparent.of(span);
    }

    public void end(AsyncResult<?> result) {
      for (Span span : spans) {
        Throwable failure = result.cause();
        if (failure != null) {
          span.setStatus(StatusCode.ERROR, failure.toString())
              .setAttribute(ERROR, failure.getClass().getName());
        }
        span.end();
      }
    }
  }

  public Batch batch() {
    return new Batch();
  }

  /** An attempt begins; {@code url} is null if it is invalid. */
  public Span attempt(Delivery delivery, @Nullable EndpointUrl url) {
    Context parent = Traceparent.sampled(delivery.traceparent());
    if (parent == null) {
      return Span.getInvalid();
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
    return span.startSpan();
  }

  /** The header for the receiver of an attempt. */
  public @Nullable String toReceiver(Span attempt) {
    return toReceivers ? Traceparent.of(attempt) : null;
  }

  /** The attempt has ended. */
  public static void end(Span attempt, Outcome outcome) {
    switch (outcome) {
      case Outcome.Delivered delivered ->
          attempt
              .setAttribute(OUTCOME, Outcome.Delivered.WORD)
              .setAttribute(STATUS, delivered.status());
      case Outcome.Failed failed -> fail(attempt, failed);
      case Outcome.Authorized _ -> attempt.setAttribute(OUTCOME, "authorized");
      case Outcome.Aborted _ -> attempt.setAttribute(OUTCOME, "aborted");
    }
    attempt.end();
  }

  private static void fail(Span attempt, Outcome.Failed failed) {
    Integer status = failed.status();
    attempt
        .setAttribute(OUTCOME, failed.kind().word())
        .setAttribute(ERROR, status == null ? failed.kind().word() : status.toString())
        .setStatus(StatusCode.ERROR);
    if (status != null) {
      attempt.setAttribute(STATUS, status);
    }
  }
}
