package io.egress.platform.trace;

import io.egress.platform.metrics.Metrics;
import io.opentelemetry.api.common.AttributeKey;
import io.opentelemetry.api.common.Attributes;
import io.opentelemetry.api.trace.propagation.W3CTraceContextPropagator;
import io.opentelemetry.context.propagation.ContextPropagators;
import io.opentelemetry.exporter.otlp.http.trace.OtlpHttpSpanExporter;
import io.opentelemetry.sdk.OpenTelemetrySdk;
import io.opentelemetry.sdk.resources.Resource;
import io.opentelemetry.sdk.trace.SdkTracerProvider;
import io.opentelemetry.sdk.trace.SpanLimits;
import io.opentelemetry.sdk.trace.samplers.Sampler;
import java.net.URI;
import java.time.Duration;
import java.util.UUID;
import java.util.logging.Level;
import java.util.logging.Logger;

/** Configures OpenTelemetry: sampling and export. */
final class Exporting {
  private static final String TRACES = "/v1/traces";
  private static final Duration CONNECT_MAX = Duration.ofSeconds(3);
  private static final Duration REQUEST_MAX = Duration.ofSeconds(5);
  private static final int ATTRIBUTE_CHARACTERS_MAX = 512;

  /**
   * Held, because otherwise its level would be garbage-collected with it. {@link SpanQueue} logs
   * failures.
   */
  private static final Logger OWN_LOG = Logger.getLogger("io.opentelemetry");

  private Exporting() {}

  static OpenTelemetrySdk to(URI collector, double sample, String service, Metrics metrics) {
    OWN_LOG.setLevel(Level.OFF);
    OtlpHttpSpanExporter exporter =
        OtlpHttpSpanExporter.builder()
            .setEndpoint(tracesOf(collector.toString()))
            .setConnectTimeout(CONNECT_MAX)
            .setTimeout(REQUEST_MAX)
            .setCompression("gzip")
            .build();
    SdkTracerProvider provider =
        SdkTracerProvider.builder()
            .setResource(Resource.getDefault().merge(Resource.create(process(service))))
            .setSampler(Sampler.parentBased(Sampler.traceIdRatioBased(sample)))
            .setSpanLimits(
                SpanLimits.builder().setMaxAttributeValueLength(ATTRIBUTE_CHARACTERS_MAX).build())
            .addSpanProcessor(new SpanQueue(exporter, metrics))
            .build();
    return OpenTelemetrySdk.builder()
        .setTracerProvider(provider)
        .setPropagators(ContextPropagators.create(W3CTraceContextPropagator.getInstance()))
        .build();
  }

  private static Attributes process(String service) {
    return Attributes.of(
        AttributeKey.stringKey("service.name"),
        service,
        AttributeKey.stringKey("service.instance.id"),
        UUID.randomUUID().toString());
  }

  /** A collector is configured by its base URL, as with other clients, or by the whole URL. */
  private static String tracesOf(String url) {
    if (url.endsWith(TRACES)) {
      return url;
    }
    return (url.endsWith("/") ? url.substring(0, url.length() - 1) : url) + TRACES;
  }
}
