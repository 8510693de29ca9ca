package io.egress.platform.trace;

import io.opentelemetry.api.trace.Span;
import io.opentelemetry.api.trace.SpanContext;
import io.opentelemetry.api.trace.propagation.W3CTraceContextPropagator;
import io.opentelemetry.context.Context;
import io.opentelemetry.context.propagation.TextMapGetter;
import java.util.List;
import org.jspecify.annotations.Nullable;

/** The W3C Trace Context header as data: it follows a capture through tables and topics. */
public final class Traceparent {
  private static final String HEADER = "traceparent";

  private Traceparent() {}

  /** Null unless the span is sampled. */
  public static @Nullable String of(Span span) {
    SpanContext context = span.getSpanContext();
    return context.isSampled()
        ? "00-"
            + context.getTraceId()
            + "-"
            + context.getSpanId()
            + "-"
            + context.getTraceFlags().asHex()
        : null;
  }

  /** A context with the span as parent; null if there is none, or one that is not sampled. */
  public static @Nullable Context sampled(@Nullable String traceparent) {
    if (traceparent == null) {
      return null;
    }
    Context parent =
        W3CTraceContextPropagator.getInstance()
            .extract(Context.root(), traceparent, OnlyHeader.GETTER);
    return Span.fromContext(parent).getSpanContext().isSampled() ? parent : null;
  }

  private enum OnlyHeader implements TextMapGetter<String> {
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
}
