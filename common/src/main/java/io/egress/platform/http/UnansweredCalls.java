package io.egress.platform.http;

import io.vertx.ext.web.RoutingContext;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.TimeUnit;

/**
 * Calls that were neither answered nor given up. A call leaves with its response, its deadline or
 * its connection, whichever ends first. Thread-safe.
 */
public final class UnansweredCalls {
  private final Map<RequestLifetime, Long> beginNanos = new ConcurrentHashMap<>();

  public void add(RoutingContext ctx) {
    RequestLifetime lifetime = RequestLifetime.of(ctx);
    beginNanos.put(lifetime, System.nanoTime());
    ctx.addEndHandler(_ -> beginNanos.remove(lifetime));
    lifetime.cutShort().onFailure(_ -> beginNanos.remove(lifetime));
  }

  /** The age of the oldest call; 0 without one. */
  public double oldestSeconds() {
    long now = System.nanoTime();
    long nanos = beginNanos.values().stream().mapToLong(begin -> now - begin).max().orElse(0);
    return nanos / (double) TimeUnit.SECONDS.toNanos(1);
  }
}
