package io.egress.dispatcher.send;

import static java.util.Objects.requireNonNull;

import io.egress.endpoint.AddressPolicy;
import io.netty.channel.EventLoop;
import io.netty.util.concurrent.EventExecutor;
import io.vertx.core.Future;
import io.vertx.core.Vertx;
import io.vertx.core.internal.ContextInternal;
import io.vertx.core.internal.VertxInternal;
import io.vertx.core.net.TrustOptions;
import java.util.ArrayList;
import java.util.List;
import java.util.UUID;
import java.util.concurrent.atomic.AtomicInteger;

/**
 * Sends webhooks over connections that each endpoint has to itself, on all event loops of the
 * process, so that signing and encrypting do not fall to the caller's alone. An endpoint is always
 * sent to on the same one, so that what is kept for it needs no locks. To be called from any
 * thread; outcomes come back on the context of the caller.
 *
 * <p>It has no opinion on how many attempts run at a time. More than an endpoint has connections
 * for wait their turn while their deadline runs, so whoever calls should keep below that number.
 */
public final class WebhookSender {
  /** Most receivers take a body at once: a few are written at a time. */
  private static final long BODY_BUFFERS_BYTES_MAX = 32L << 20;

  private final Connector connector;
  private final AtomicInteger openConnections = new AtomicInteger();
  private final List<SendingLoop> loops = new ArrayList<>();

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
    connector = new Connector(vertx, settings.attemptTimeout(), trust);
    List<ContextInternal> contexts = onEachEventLoop((VertxInternal) vertx);
    for (ContextInternal context : contexts) {
      loops.add(
          new SendingLoop(
              new AttemptContext(
                  context,
                  settings.attemptTimeout(),
                  new CachedNameLookup(names, settings.keepName(), System::nanoTime),
                  policy,
                  new EndpointPools(pooling(settings.pool(), contexts.size())),
                  new BodyBuffers(BODY_BUFFERS_BYTES_MAX / contexts.size()))));
    }
  }

  /** Starts an attempt. The signature's timestamp should be no older than this call. */
  public Sending send(SendRequest request) {
    requireNonNull(request, "request is null");
    return loopOf(request.endpointId()).send(request);
  }

  /** Connections open or being opened, in use or not; to be read from any thread. */
  public int openConnections() {
    return openConnections.get();
  }

  /** Aborts what runs and closes every connection. What is sent afterwards is aborted at once. */
  public Future<Void> close() {
    return Future.join(loops.stream().map(SendingLoop::close).toList())
        .compose(closed -> connector.close());
  }

  private SendingLoop loopOf(UUID endpointId) {
    return loops.get(Math.floorMod(endpointId.hashCode(), loops.size()));
  }

  private PoolContext pooling(SenderSettings.PoolLimits limits, int loops) {
    int maxIdle = (limits.maxIdle() + loops - 1) / loops;
    return new PoolContext(
        connector,
        new IdleConnections(maxIdle, limits.idleTimeout().toNanos()),
        limits,
        openConnections);
  }

  private static List<ContextInternal> onEachEventLoop(VertxInternal vertx) {
    List<ContextInternal> contexts = new ArrayList<>();
    for (EventExecutor loop : vertx.nettyEventLoopGroup()) {
      contexts.add(vertx.contextBuilder().withEventLoop((EventLoop) loop).build());
    }
    return contexts;
  }
}
