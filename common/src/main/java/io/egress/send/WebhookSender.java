package io.egress.send;

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
 * Sends webhooks on all event loops of the process, so that signing and encrypting do not fall to
 * the caller's alone. An endpoint is always sent to on the same one, so that what is kept for it
 * needs no locks. To be called from any thread; outcomes come back on the context of the caller.
 *
 * <p>It does not limit how many attempts run at a time: whoever calls does, for each endpoint and
 * over all.
 */
public final class WebhookSender {
  /** Most receivers take a body at once: a few are written at a time. */
  private static final long BODY_BUFFERS_BYTES_MAX = 32L << 20;

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
    List<ContextInternal> contexts = onEachEventLoop((VertxInternal) vertx);
    SendingLoop.Shared shared =
        new SendingLoop.Shared(
            settings,
            policy,
            names,
            trust,
            openConnections,
            contexts.size(),
            BODY_BUFFERS_BYTES_MAX);
    contexts.forEach(context -> loops.add(new SendingLoop(context, shared)));
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
    return Future.join(loops.stream().map(SendingLoop::close).toList()).mapEmpty();
  }

  private SendingLoop loopOf(UUID endpointId) {
    return loops.get(Math.floorMod(endpointId.hashCode(), loops.size()));
  }

  private static List<ContextInternal> onEachEventLoop(VertxInternal vertx) {
    List<ContextInternal> contexts = new ArrayList<>();
    for (EventExecutor loop : vertx.nettyEventLoopGroup()) {
      contexts.add(vertx.contextBuilder().withEventLoop((EventLoop) loop).build());
    }
    return contexts;
  }
}
