package io.egress.platform.trace;

import io.egress.platform.metrics.Metrics;
import io.egress.platform.metrics.MonitoringPaths;
import io.opentelemetry.api.OpenTelemetry;
import io.opentelemetry.api.common.AttributeKey;
import io.opentelemetry.api.trace.StatusCode;
import io.opentelemetry.sdk.OpenTelemetrySdk;
import io.vertx.core.Context;
import io.vertx.core.http.HttpServerRequest;
import io.vertx.core.http.HttpServerResponse;
import io.vertx.core.spi.VertxTracerFactory;
import io.vertx.core.spi.tracing.SpanKind;
import io.vertx.core.spi.tracing.TagExtractor;
import io.vertx.core.spi.tracing.VertxTracer;
import io.vertx.core.tracing.TracingPolicy;
import io.vertx.tracing.opentelemetry.OpenTelemetryTracingFactory;
import io.vertx.tracing.opentelemetry.Operation;
import java.net.URI;
import java.util.List;
import java.util.Map.Entry;
import java.util.concurrent.TimeUnit;
import java.util.function.BiConsumer;
import org.jspecify.annotations.Nullable;

/**
 * Creates spans for requests with Vert.x's tracer for OpenTelemetry. Probes and scrapes have none.
 * The listener's policy decides whether a caller's trace is continued.
 */
final class RequestTracer implements VertxTracer<Operation, Operation> {
  private static final AttributeKey<Long> STATUS =
      AttributeKey.longKey("http.response.status_code");
  private static final AttributeKey<String> ERROR = AttributeKey.stringKey("error.type");
  private static final int FIRST_SERVER_ERROR = 500;

  /** Longer than a healthy collector needs to accept the last spans. */
  private static final long CLOSE_SECONDS_MAX = 3;

  private final OpenTelemetrySdk telemetry;
  private final VertxTracer<Operation, Operation> tracer;
  private final boolean toReceivers;

  private RequestTracer(
      OpenTelemetrySdk telemetry, VertxTracer<Operation, Operation> tracer, boolean toReceivers) {
    this.telemetry = telemetry;
    this.tracer = tracer;
    this.toReceivers = toReceivers;
  }

  @SuppressWarnings(
      "unchecked") // The factory does not declare the type of its tracer's operations.
  static VertxTracerFactory factory(
      URI collector, TracingSettings settings, String service, Metrics metrics) {
    OpenTelemetrySdk telemetry = Exporting.to(collector, settings.sample(), service, metrics);
    return options ->
        new RequestTracer(
            telemetry,
            (VertxTracer<Operation, Operation>)
                new OpenTelemetryTracingFactory((OpenTelemetry) telemetry).tracer(options),
            settings.toReceivers());
  }

  OpenTelemetry telemetry() {
    return telemetry;
  }

  boolean toReceivers() {
    return toReceivers;
  }

  @Override
  public <R> @Nullable Operation receiveRequest(
      Context context,
      SpanKind kind,
      TracingPolicy policy,
      R request,
      String operation,
      Iterable<Entry<String, String>> headers,
      TagExtractor<R> tags) {
    if (!(request instanceof HttpServerRequest http)) {
      return null;
    }
    String path = http.path();
    if (path == null || MonitoringPaths.include(path)) {
      return null;
    }
    return tracer.receiveRequest(
        context,
        kind,
        TracingPolicy.ALWAYS,
        http,
        operation,
        policy == TracedVertx.FOLLOWS_CALLERS ? headers : List.of(),
        RequestTags.INSTANCE);
  }

  @Override
  public <R> void sendResponse(
      Context context,
      @Nullable R response,
      @Nullable Operation operation,
      @Nullable Throwable failure,
      TagExtractor<R> tags) {
    if (operation == null) {
      return;
    }
    if (response instanceof HttpServerResponse http) {
      int status = http.getStatusCode();
      operation.span().setAttribute(STATUS, status);
      if (status >= FIRST_SERVER_ERROR) {
        operation.span().setAttribute(ERROR, Integer.toString(status)).setStatus(StatusCode.ERROR);
      }
    }
    tracer.sendResponse(context, null, operation, failure, tags);
  }

  @Override
  public <R> @Nullable Operation sendRequest(
      Context context,
      SpanKind kind,
      TracingPolicy policy,
      R request,
      String operation,
      BiConsumer<String, String> headers,
      TagExtractor<R> tags) {
    return tracer.sendRequest(context, kind, policy, request, operation, headers, tags);
  }

  @Override
  public <R> void receiveResponse(
      Context context,
      @Nullable R response,
      @Nullable Operation operation,
      @Nullable Throwable failure,
      TagExtractor<R> tags) {
    tracer.receiveResponse(context, response, operation, failure, tags);
  }

  /** Called after Vert.x has closed everything else. */
  @Override
  public void close() {
    telemetry.shutdown().join(CLOSE_SECONDS_MAX, TimeUnit.SECONDS);
  }

  /** Neither path nor query: the route sets the path, with ids only. */
  private enum RequestTags implements TagExtractor<HttpServerRequest> {
    INSTANCE;

    @Override
    public int len(HttpServerRequest request) {
      return 2;
    }

    @Override
    public String name(HttpServerRequest request, int index) {
      return index == 0 ? "http.request.method" : "url.scheme";
    }

    @Override
    public String value(HttpServerRequest request, int index) {
      return index == 0 ? request.method().name() : String.valueOf(request.scheme());
    }
  }
}
