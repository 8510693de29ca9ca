package io.egress.acceptance;

import com.google.protobuf.InvalidProtocolBufferException;
import io.opentelemetry.proto.collector.trace.v1.ExportTraceServiceRequest;
import io.opentelemetry.proto.common.v1.AnyValue;
import io.opentelemetry.proto.common.v1.KeyValue;
import io.opentelemetry.proto.trace.v1.ResourceSpans;
import io.opentelemetry.proto.trace.v1.Span;
import io.vertx.core.Vertx;
import io.vertx.core.http.HttpServer;
import io.vertx.core.http.HttpServerOptions;
import io.vertx.core.http.HttpServerRequest;
import java.util.Comparator;
import java.util.HexFormat;
import java.util.List;
import java.util.Map;
import java.util.Queue;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.stream.Collectors;

/** Takes spans by OTLP over HTTP, as an OpenTelemetry collector does. */
final class SpanCollector {
  private static final HexFormat HEX = HexFormat.of();

  /** {@code parent} is empty for a span without one. */
  record Seen(
      String service,
      String trace,
      String id,
      String parent,
      String name,
      Span.SpanKind kind,
      long startNanos,
      long endNanos,
      boolean failed,
      Map<String, String> attributes) {}

  private final Queue<Seen> spans = new ConcurrentLinkedQueue<>();
  private final int port;

  SpanCollector(Vertx vertx) {
    HttpServerOptions http1 =
        new HttpServerOptions().setDecompressionSupported(true).setHttp2ClearTextEnabled(false);
    HttpServer server = vertx.createHttpServer(http1).requestHandler(this::take);
    port = BothRoles.done(server.listen(0, "127.0.0.1")).actualPort();
  }

  String url() {
    return "http://127.0.0.1:" + port;
  }

  /** In the order of their beginnings. */
  List<Seen> all() {
    return spans.stream().sorted(Comparator.comparingLong(Seen::startNanos)).toList();
  }

  List<Seen> of(String trace) {
    return all().stream().filter(span -> span.trace().equals(trace)).toList();
  }

  private void take(HttpServerRequest request) {
    request
        .body()
        .onSuccess(body -> {
          boolean known = request.path().equals("/v1/traces");
          if (known) {
            read(body.getBytes());
          }
          request
              .response()
              .setStatusCode(known ? 200 : 404)
              .putHeader("content-type", "application/x-protobuf")
              .end();
        });
  }

  private void read(byte[] body) {
    try {
      ExportTraceServiceRequest.parseFrom(body).getResourceSpansList().forEach(this::add);
    } catch (InvalidProtocolBufferException unreadable) {
      throw new IllegalStateException(unreadable);
    }
  }

  private void add(ResourceSpans of) {
    String service =
        attributes(of.getResource().getAttributesList()).getOrDefault("service.name", "none");
    of.getScopeSpansList().stream()
        .flatMap(scope -> scope.getSpansList().stream())
        .map(span -> seen(service, span))
        .forEach(spans::add);
  }

  private static Seen seen(String service, Span span) {
    return new Seen(
        service,
        HEX.formatHex(span.getTraceId().toByteArray()),
        HEX.formatHex(span.getSpanId().toByteArray()),
        HEX.formatHex(span.getParentSpanId().toByteArray()),
        span.getName(),
        span.getKind(),
        span.getStartTimeUnixNano(),
        span.getEndTimeUnixNano(),
        span.getStatus().getCodeValue() == 2,
        attributes(span.getAttributesList()));
  }

  private static Map<String, String> attributes(List<KeyValue> list) {
    return list.stream().collect(Collectors.toMap(KeyValue::getKey, each -> text(each.getValue())));
  }

  private static String text(AnyValue value) {
    return value.hasIntValue() ? Long.toString(value.getIntValue()) : value.getStringValue();
  }
}
