package io.egress.platform.metrics;

import io.egress.platform.vertx.VertxInternals;
import io.vertx.core.Vertx;
import io.vertx.core.VertxBuilder;
import io.vertx.core.VertxOptions;
import io.vertx.core.metrics.MetricsOptions;
import io.vertx.core.spi.VertxTracerFactory;
import io.vertx.core.spi.metrics.PoolMetrics;
import io.vertx.core.spi.metrics.VertxMetrics;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.atomic.AtomicInteger;
import org.jspecify.annotations.Nullable;

/**
 * A Vert.x whose database pools are measured. Pools report only through the metrics SPI of the
 * Vert.x they were created with; all its other metrics are disabled.
 */
public final class MeasuredVertx {
  private static final String DATABASE_POOL = "sql";

  private MeasuredVertx() {}

  public static Vertx create() {
    return create(new Metrics(), null);
  }

  /** Twice as many event loops, the default, would only pass more work between them. */
  public static Vertx create(Metrics metrics, @Nullable VertxTracerFactory tracers) {
    Pools pools = new Pools(metrics);
    VertxBuilder builder =
        Vertx.builder()
            .with(
                new VertxOptions()
                    .setEventLoopPoolSize(Runtime.getRuntime().availableProcessors())
                    .setMetricsOptions(new MetricsOptions().setEnabled(true)))
            .withMetrics(_ -> pools);
    if (tracers != null) {
      builder.withTracer(tracers);
    }
    return builder.build();
  }

  /** The metrics that {@code vertx} was created with, or new ones if it was not created here. */
  public static Metrics metricsOf(Vertx vertx) {
    return VertxInternals.metrics(vertx) instanceof Pools pools ? pools.metrics : new Metrics();
  }

  private static final class Pools implements VertxMetrics {
    private final Metrics metrics;

    /** By name: a pool that replaces another has its metrics. */
    private final Map<String, DatabasePool> databases = new ConcurrentHashMap<>();

    private Pools(Metrics metrics) {
      this.metrics = metrics;
    }

    @Override
    public @Nullable PoolMetrics<?, ?> createPoolMetrics(String type, String name, int sizeMax) {
      return type.equals(DATABASE_POOL)
          ? databases.computeIfAbsent(name, _ -> new DatabasePool(metrics, name, sizeMax))
          : null;
    }
  }

  private static final class DatabasePool implements PoolMetrics<Boolean, Boolean> {
    private final AtomicInteger waiting = new AtomicInteger();
    private final AtomicInteger inUse = new AtomicInteger();

    private DatabasePool(Metrics metrics, String name, int sizeMax) {
      metrics.gauge(
          "egress_database_connections_in_use",
          "connections to PostgreSQL in use",
          inUse::get,
          "pool",
          name);
      metrics.gauge(
          "egress_database_connections_max",
          "maximum number of connections to PostgreSQL",
          () -> sizeMax,
          "pool",
          name);
      metrics.gauge(
          "egress_database_waiting",
          "requests waiting for a connection to PostgreSQL",
          waiting::get,
          "pool",
          name);
    }

    @Override
    public Boolean enqueue() {
      waiting.incrementAndGet();
      return true;
    }

    @Override
    public void dequeue(Boolean waited) {
      waiting.decrementAndGet();
    }

    @Override
    public Boolean begin() {
      inUse.incrementAndGet();
      return true;
    }

    @Override
    public void end(Boolean begun) {
      inUse.decrementAndGet();
    }
  }
}
