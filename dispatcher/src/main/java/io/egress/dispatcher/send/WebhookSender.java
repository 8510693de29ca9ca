package io.egress.dispatcher.send;

import static java.util.Objects.requireNonNull;

import io.egress.endpoint.AddressPolicy;
import io.egress.endpoint.EndpointUrl;
import io.vertx.core.Future;
import io.vertx.core.Promise;
import io.vertx.core.Vertx;
import io.vertx.core.internal.ContextInternal;
import io.vertx.core.internal.VertxInternal;
import io.vertx.core.net.TrustOptions;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.UUID;
import java.util.concurrent.atomic.AtomicInteger;

/**
 * Sends webhooks over connections that each endpoint has to itself. One sender belongs to one event
 * loop, that of the context it is made on, and is best called there; calls from elsewhere are
 * passed on to it.
 *
 * <p>It has no opinion on how many attempts run at a time. More than an endpoint has connections
 * for wait their turn while their deadline runs, so whoever calls should keep below that number.
 */
public final class WebhookSender {
  private static final long HOUSEKEEPING_PERIOD_MILLIS = 1_000;

  /** Most receivers take a body at once: a few are written at a time. */
  private static final long BODY_BUFFERS_BYTES_MAX = 16L << 20;

  private record PoolKey(UUID endpointId, boolean secure, String host, int port) {
    static PoolKey of(SendRequest request) {
      EndpointUrl url = request.url();
      return new PoolKey(request.endpointId(), url.secure(), url.host(), url.port());
    }
  }

  private final AttemptContext context;
  private final PoolContext pooling;
  private final Map<PoolKey, EndpointPool> pools = new HashMap<>();
  private final Set<Attempt> running = new HashSet<>();
  private final long housekeepingTimer;
  private boolean closed;

  /** {@code trust} comes from {@link TrustedAuthorities#load}. */
  public WebhookSender(
      Vertx vertx,
      SenderSettings settings,
      AddressPolicy policy,
      NameLookup names,
      TrustOptions trust) {
    requireNonNull(settings, "settings is null");
    requireNonNull(policy, "policy is null");
    requireNonNull(names, "names is null");
    requireNonNull(trust, "trust is null");
    ContextInternal loop = ((VertxInternal) vertx).getOrCreateContext();
    CachedNameLookup cachedNames =
        new CachedNameLookup(names, settings.keepName(), System::nanoTime);
    context =
        new AttemptContext(loop, settings.attemptTimeout(), cachedNames, policy, this::poolOf);
    pooling =
        new PoolContext(
            new Connector(vertx, settings.attemptTimeout(), trust),
            new IdleConnections(settings.pool().maxIdle(), settings.pool().idleTimeout().toNanos()),
            settings.pool(),
            new BodyBuffers(BODY_BUFFERS_BYTES_MAX),
            new AtomicInteger());
    housekeepingTimer = loop.setPeriodic(HOUSEKEEPING_PERIOD_MILLIS, timer -> keepHouse());
  }

  /** Starts an attempt. The signature's timestamp should be no older than this call. */
  public Sending send(SendRequest request) {
    requireNonNull(request, "request is null");
    Attempt attempt = new Attempt(request, context, running::remove);
    context.run(() -> start(attempt));
    return attempt;
  }

  /** Connections open or being opened, in use or not; to be read from any thread. */
  public int openConnections() {
    return pooling.openConnections().get();
  }

  /** Aborts what runs and closes every connection. What is sent afterwards is aborted at once. */
  public Future<Void> close() {
    Promise<Void> done = Promise.promise();
    context.run(
        () -> {
          closed = true;
          context.cancelTimer(housekeepingTimer);
          List.copyOf(running).forEach(attempt -> attempt.abort("the sender is closed"));
          pooling.connector().close().onComplete(done);
        });
    return done.future();
  }

  private void start(Attempt attempt) {
    if (closed) {
      attempt.abort("the sender is closed");
      return;
    }
    running.add(attempt);
    attempt.start();
  }

  private EndpointPool poolOf(SendRequest request) {
    return pools.computeIfAbsent(
        PoolKey.of(request), key -> new EndpointPool(request.url(), pooling));
  }

  private void keepHouse() {
    pooling.idle().closeExpired(pooling.nanoTime());
    pools.values().removeIf(EndpointPool::isEmpty);
  }
}
