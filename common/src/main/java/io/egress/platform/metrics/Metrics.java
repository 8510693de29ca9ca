package io.egress.platform.metrics;

import io.micrometer.core.instrument.Counter;
import io.micrometer.core.instrument.Gauge;
import io.micrometer.core.instrument.MultiGauge;
import io.micrometer.core.instrument.Timer;
import io.micrometer.core.instrument.binder.jvm.JvmGcMetrics;
import io.micrometer.core.instrument.binder.jvm.JvmHeapPressureMetrics;
import io.micrometer.core.instrument.binder.jvm.JvmMemoryMetrics;
import io.micrometer.core.instrument.binder.jvm.JvmThreadMetrics;
import io.micrometer.core.instrument.binder.system.FileDescriptorMetrics;
import io.micrometer.core.instrument.binder.system.ProcessorMetrics;
import io.micrometer.core.instrument.binder.system.UptimeMetrics;
import io.micrometer.prometheusmetrics.PrometheusConfig;
import io.micrometer.prometheusmetrics.PrometheusMeterRegistry;
import java.time.Duration;
import java.util.function.DoubleSupplier;

/**
 * The meters of one process, for all of its roles. Names are those of Prometheus; labels are pairs
 * of name and value, with few values each. Each meter is created once, with the part that uses it.
 */
public final class Metrics implements AutoCloseable {
  public static final String CONTENT_TYPE = "text/plain; version=0.0.4; charset=utf-8";

  private final PrometheusMeterRegistry registry =
      new PrometheusMeterRegistry(PrometheusConfig.DEFAULT);
  private final JvmGcMetrics garbageCollection = new JvmGcMetrics();
  private final JvmHeapPressureMetrics heapPressure = new JvmHeapPressureMetrics();

  public Metrics() {
    new JvmMemoryMetrics().bindTo(registry);
    new JvmThreadMetrics().bindTo(registry);
    new ProcessorMetrics().bindTo(registry);
    new FileDescriptorMetrics().bindTo(registry);
    new UptimeMetrics().bindTo(registry);
    garbageCollection.bindTo(registry);
    heapPressure.bindTo(registry);
  }

  /** {@code name} ends with {@code _total}. */
  public Counter counter(String name, String meaning, String... labels) {
    return Counter.builder(name).description(meaning).tags(labels).register(registry);
  }

  /** {@code name} ends with {@code _seconds}. */
  public Timer timer(String name, String meaning, Buckets buckets, String... labels) {
    return Timer.builder(name)
        .description(meaning)
        .serviceLevelObjectives(buckets.bounds().toArray(Duration[]::new))
        .tags(labels)
        .register(registry);
  }

  /**
   * {@code value} is called at each scrape, from any thread; NaN means unknown. Of two gauges with
   * the same name and labels only the first is used.
   */
  public void gauge(String name, String meaning, DoubleSupplier value, String... labels) {
    Gauge.builder(name, value::getAsDouble).description(meaning).tags(labels).register(registry);
  }

  /** A gauge for each of a few values of a label, which {@code register} replaces together. */
  public MultiGauge gauges(String name, String meaning) {
    return MultiGauge.builder(name).description(meaning).register(registry);
  }

  /** All meters in the text format of Prometheus. Takes milliseconds; not for an event loop. */
  public String scrape() {
    return registry.scrape(CONTENT_TYPE);
  }

  @Override
  public void close() {
    heapPressure.close();
    garbageCollection.close();
    registry.close();
  }
}
