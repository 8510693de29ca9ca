package io.egress.platform.http;

import io.egress.platform.metrics.EventLoops;
import io.egress.platform.metrics.MeasuredVertx;
import io.egress.platform.metrics.Metrics;
import io.vertx.core.Vertx;
import io.vertx.core.buffer.Buffer;
import io.vertx.ext.web.RoutingContext;

/** Health and metrics of one process, for all of its roles. */
public final class Monitoring {
  private final Vertx vertx;
  private final Metrics metrics;
  private final EventLoops eventLoops;
  private final Health health;

  private Monitoring(Vertx vertx) {
    this.vertx = vertx;
    this.metrics = MeasuredVertx.metricsOf(vertx);
    this.eventLoops = new EventLoops(vertx);
    this.health = Health.of(eventLoops);
  }

  public static Monitoring of(Vertx vertx) {
    Monitoring monitoring = new Monitoring(vertx);
    monitoring.eventLoops.measure(monitoring.metrics);
    return monitoring;
  }

  public Metrics metrics() {
    return metrics;
  }

  /** The health of the whole process. */
  public Health health() {
    return health;
  }

  /** The routes for the internal listener, which require no token. */
  public Routes routes() {
    return health.routes().get("/metrics", this::scrape);
  }

  public void close() {
    eventLoops.close();
    metrics.close();
  }

  private void scrape(RoutingContext ctx) {
    vertx
        .executeBlocking(metrics::scrape, false)
        .onSuccess(page -> HttpExchange.send(ctx, 200, Metrics.CONTENT_TYPE, Buffer.buffer(page)))
        .onFailure(failure -> HttpExchange.fail(ctx, failure));
  }
}
