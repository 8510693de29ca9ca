package io.egress.platform.trace;

import io.egress.platform.metrics.Metrics;
import io.egress.platform.outage.Outage;
import io.micrometer.core.instrument.Counter;
import io.opentelemetry.context.Context;
import io.opentelemetry.sdk.common.CompletableResultCode;
import io.opentelemetry.sdk.trace.ReadWriteSpan;
import io.opentelemetry.sdk.trace.ReadableSpan;
import io.opentelemetry.sdk.trace.SpanProcessor;
import io.opentelemetry.sdk.trace.data.SpanData;
import io.opentelemetry.sdk.trace.export.BatchSpanProcessor;
import io.opentelemetry.sdk.trace.export.SpanExporter;
import java.time.Duration;
import java.util.Collection;
import java.util.concurrent.atomic.AtomicInteger;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * The queue of spans for the collector. {@link BatchSpanProcessor} counts what its queue drops in
 * OpenTelemetry's own metrics only, so it never gets more than it can hold, and dropped spans are
 * counted here.
 */
final class SpanQueue implements SpanProcessor {
  private static final Logger log = LoggerFactory.getLogger(SpanQueue.class);

  private static final int SPANS_MAX = 8_192;
  private static final int BATCH_MAX = 512;
  private static final Duration EXPORT_PERIOD = Duration.ofSeconds(1);
  private static final Duration EXPORT_MAX = Duration.ofSeconds(10);

  private final SpanProcessor batches;
  private final AtomicInteger queued = new AtomicInteger();
  private final Counter exported;
  private final Counter dropped;
  private final Outage exporting =
      Outage.ofItsOwn(log, "Cannot export spans; they are dropped", "Spans are exported again");

  SpanQueue(SpanExporter exporter, Metrics metrics) {
    this.exported =
        metrics.counter("egress_spans_exported_total", "spans that the collector has taken");
    this.dropped =
        metrics.counter(
            "egress_spans_dropped_total",
            "spans lost because the collector was unavailable or too slow");
    this.batches =
        BatchSpanProcessor.builder(new CountedExporter(exporter))
            .setMaxQueueSize(SPANS_MAX)
            .setMaxExportBatchSize(BATCH_MAX)
            .setScheduleDelay(EXPORT_PERIOD)
            .setExporterTimeout(EXPORT_MAX)
            .build();
  }

  @Override
  public void onStart(Context parent, ReadWriteSpan span) {
    batches.onStart(parent, span);
  }

  @Override
  public boolean isStartRequired() {
    return batches.isStartRequired();
  }

  @Override
  public void onEnd(ReadableSpan span) {
    if (!span.getSpanContext().isSampled()) {
      return;
    }
    if (queued.incrementAndGet() > SPANS_MAX) {
      queued.decrementAndGet();
      dropped.increment();
    } else {
      batches.onEnd(span);
    }
  }

  @Override
  public boolean isEndRequired() {
    return true;
  }

  @Override
  public CompletableResultCode shutdown() {
    return batches.shutdown();
  }

  @Override
  public CompletableResultCode forceFlush() {
    return batches.forceFlush();
  }

  private final class CountedExporter implements SpanExporter {
    private final SpanExporter exporter;

    private CountedExporter(SpanExporter exporter) {
      this.exporter = exporter;
    }

    @Override
    public CompletableResultCode export(Collection<SpanData> spans) {
      int count = spans.size();
      queued.addAndGet(-count);
      CompletableResultCode result = exporter.export(spans);
      return result.whenComplete(() -> {
        if (result.isSuccess()) {
          exported.increment(count);
          exporting.worked();
        } else {
          dropped.increment(count);
          Throwable cause = result.getFailureThrowable();
          exporting.failed(
              cause == null ? new IllegalStateException("the collector refused them") : cause);
        }
      });
    }

    @Override
    public CompletableResultCode flush() {
      return exporter.flush();
    }

    @Override
    public CompletableResultCode shutdown() {
      return exporter.shutdown();
    }
  }
}
