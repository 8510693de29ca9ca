package io.egress.api.pull;

import io.egress.api.pull.HeldPulls.End;
import io.egress.api.pull.HeldPulls.Held;
import io.egress.platform.http.RequestLifetime;
import io.egress.platform.metrics.Metrics;
import io.egress.transcript.stream.Feed;
import io.vertx.core.Future;
import io.vertx.core.Vertx;
import io.vertx.ext.web.RoutingContext;
import io.vertx.sqlclient.Pool;
import java.time.Duration;

/** Holds requests that wish to wait until there is something in their feed. */
public final class WaitingPulls {
  /** Connections to the database, of all requests together. */
  public static final int CONNECTIONS = StreamNotices.CONNECTIONS;

  private static final String HELD_NANOS = WaitingPulls.class.getName();
  private static final Duration CHECKS_APART_MAX = Duration.ofSeconds(1);

  private final HeldPulls pulls;
  private final StreamNotices notices;

  /**
   * Opens it.
   *
   * @param pool of {@link #CONNECTIONS}
   * @param canListen whether the connections keep what a session sets, unlike those of a pooler
   * @param interval how often to check without notifications
   * @param max the number of requests held at a time
   */
  public WaitingPulls(
      Vertx vertx, Pool pool, boolean canListen, Duration interval, int max, Metrics metrics) {
    pulls = new HeldPulls(vertx, max);
    Duration apart = interval.compareTo(CHECKS_APART_MAX) < 0 ? interval : CHECKS_APART_MAX;
    notices = new StreamNotices(vertx, pool, pulls, canListen, apart);
    metrics.gauge("egress_pull_held", "pulls that wait for a capture or a change", pulls::count);
  }

  /** Fails if there is no room, or when the client leaves. */
  Future<End> hold(RoutingContext ctx, Feed feed, StreamPage empty, Duration timeMax) {
    RequestLifetime lifetime = RequestLifetime.of(ctx);
    if (lifetime.cutShort().failed()) {
      return Future.failedFuture(lifetime.cutShort().cause());
    }
    long position = empty.head() == null ? 0 : empty.head();
    Held held = pulls.hold(empty.keyId(), empty.workspaceId(), feed, position, timeMax);
    long startNanos = System.nanoTime();
    lifetime.hold(() -> held.end(End.OVER));
    lifetime.cutShort().onFailure(_ -> held.end(End.OVER));
    notices.check(held);
    return held.ended()
        .compose(end -> {
          ctx.put(HELD_NANOS, heldNanos(ctx) + System.nanoTime() - startNanos);
          lifetime.resume();
          return lifetime.cutShort().failed()
              ? Future.failedFuture(lifetime.cutShort().cause())
              : Future.succeededFuture(end);
        });
  }

  /** How long a request was held. */
  static long heldNanos(RoutingContext ctx) {
    Long nanos = ctx.get(HELD_NANOS);
    return nanos == null ? 0 : nanos;
  }

  /** Answers all that are held, and from now on holds none. */
  public void close() {
    pulls.close();
    notices.close();
  }
}
