package io.egress.webhook.send;

import io.egress.platform.vertx.VertxInternals;
import io.egress.platform.vertx.VertxInternals.LoopContext;
import io.egress.webhook.endpoint.AddressPolicy;
import io.netty.channel.EventLoop;
import io.vertx.core.Future;
import io.vertx.core.Vertx;
import io.vertx.core.net.TrustOptions;
import java.util.ArrayList;
import java.util.List;
import java.util.UUID;
import java.util.concurrent.atomic.AtomicInteger;
import org.jspecify.annotations.Nullable;

/**
 * Sends webhooks on all event loops of the process, which distributes the work of signing and
 * encrypting. An endpoint is always served by the same event loop, so its state needs no locks.
 * Thread-safe; outcomes are delivered on the caller's context.
 *
 * <p>Does not limit concurrent attempts: the caller does, per endpoint and over all.
 */
public final class WebhookSender {
  /** Most receivers accept a body at once: few writes are blocked at a time. */
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
    List<EventLoop> eventLoops = VertxInternals.eventLoops(vertx);
    SendingLoop.Shared shared =
        new SendingLoop.Shared(
            settings,
            policy,
            names,
            trust,
            openConnections,
            eventLoops.size(),
            BODY_BUFFERS_BYTES_MAX);
    for (EventLoop loop : eventLoops) {
      loops.add(new SendingLoop(LoopContext.on(loop, vertx), shared));
    }
  }

  /** Starts an attempt. The signature's timestamp should not be older than this call. */
  public Sending send(SendRequest request) {
    return send(request, null, null);
  }

  /** The same with an access token, unless {@code tokens} is null. */
  Sending send(
      SendRequest request, @Nullable AccessTokens tokens, Outcome.@Nullable Authorized authorized) {
    return loopOf(request.endpointId()).send(request, tokens, authorized);
  }

  /** Connections open or being opened, in use or not; thread-safe. */
  public int openConnections() {
    return openConnections.get();
  }

  /**
   * Aborts attempts in progress and closes every connection. Later attempts are aborted
   * immediately.
   */
  public Future<Void> close() {
    return Future.join(loops.stream().map(SendingLoop::close).toList()).mapEmpty();
  }

  private SendingLoop loopOf(UUID endpointId) {
    return loops.get(Math.floorMod(endpointId.hashCode(), loops.size()));
  }
}
