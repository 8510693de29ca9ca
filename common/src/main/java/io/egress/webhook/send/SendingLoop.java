package io.egress.webhook.send;

import io.egress.platform.vertx.VertxInternals.LoopContext;
import io.egress.webhook.endpoint.AddressPolicy;
import io.egress.webhook.endpoint.ClientCertificate;
import io.egress.webhook.endpoint.EndpointUrl;
import io.egress.webhook.send.SenderSettings.PoolLimits;
import io.vertx.core.Future;
import io.vertx.core.Promise;
import io.vertx.core.http.HttpClientAgent;
import io.vertx.core.net.ClientSSLOptions;
import io.vertx.core.net.ProxyOptions;
import io.vertx.core.net.TrustOptions;
import io.vertx.ext.web.client.WebClient;
import java.net.InetAddress;
import java.time.Duration;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import org.jspecify.annotations.Nullable;

/** The attempts made on one event loop and their shared state, which needs no locks. */
final class SendingLoop {
  private final LoopContext context;
  private final Duration timeout;
  private final TrustOptions trust;
  private final NameLookup names;
  private final AddressPolicy policy;
  private final @Nullable ForwardProxy proxy;
  private final @Nullable ClientCertificate certificate;
  private final @Nullable ProxyOptions proxyOptions;
  private final BodyBuffers bodies;
  private final Connections connections;
  private final HttpClientAgent httpClient;
  private final WebClient webClient;
  private final Set<Attempt> running = new HashSet<>();
  private boolean closed;
  private long uniqueTlsOptions;

  /** Shared by the loops of a process; limits are divided among them. */
  record Shared(
      SenderSettings settings,
      AddressPolicy policy,
      NameLookup names,
      TrustOptions trust,
      AtomicInteger openConnections,
      int loops,
      long bodyBytesMax) {}

  SendingLoop(LoopContext context, Shared shared) {
    SenderSettings settings = shared.settings();
    PoolLimits limits = settings.pool();
    this.context = context;
    this.timeout = settings.attemptTimeout();
    this.trust = shared.trust();
    this.names = new CachedNameLookup(shared.names(), settings.keepName(), System::nanoTime);
    this.policy = shared.policy();
    this.proxy = settings.proxy();
    this.certificate = settings.certificate();
    this.proxyOptions = proxy == null ? null : proxy.options(timeout);
    this.bodies = new BodyBuffers(shared.bodyBytesMax() / shared.loops());
    this.connections =
        new Connections(
            (limits.maxIdle() + shared.loops() - 1) / shared.loops(),
            limits.maxOpeningPerEndpoint(),
            timeout,
            shared.openConnections());
    this.httpClient =
        HttpClients.create(context.vertx(), settings, shared.trust(), connections::opened);
    this.webClient = Exchange.clientOf(httpClient);
  }

  /** From any thread; {@code tokens} are null if the webhook needs none. */
  Sending send(
      SendRequest request, @Nullable AccessTokens tokens, Outcome.@Nullable Authorized authorized) {
    if (tokens == null) {
      return begin(request);
    }
    AuthorizedAttempt attempt = new AuthorizedAttempt(request, tokens, authorized, this);
    context.run(attempt::start);
    return attempt;
  }

  Sending begin(Outgoing request) {
    return begin(request, System.nanoTime());
  }

  /** The deadline counts from {@code startNanos}. */
  Sending begin(Outgoing request, long startNanos) {
    Attempt attempt = new Attempt(request, this, startNanos);
    context.run(() -> start(attempt));
    return attempt;
  }

  /**
   * Aborts attempts in progress and closes every connection. Later attempts are aborted
   * immediately.
   */
  Future<Void> close() {
    Promise<Void> aborted = Promise.promise();
    context.run(() -> {
      closed = true;
      List.copyOf(running).forEach(attempt -> attempt.abort("the sender is closed"));
      aborted.complete();
    });
    return aborted.future().compose(_ -> httpClient.close());
  }

  private void start(Attempt attempt) {
    if (closed) {
      attempt.abort("the sender is closed");
      return;
    }
    running.add(attempt);
    attempt.start();
  }

  void ended(Attempt attempt) {
    running.remove(attempt);
  }

  Duration timeout() {
    return timeout;
  }

  NameLookup names() {
    return names;
  }

  AddressPolicy policy() {
    return policy;
  }

  /** The proxy on the way to the address; null if there is none. */
  @Nullable ProxyOptions proxyTo(EndpointUrl url, InetAddress address) {
    return proxy != null && proxy.leadsTo(url, address) ? proxyOptions : null;
  }

  /** Connections are shared only by requests whose options are equal. */
  ClientSSLOptions tlsOptions(ClientCertificate certificate) {
    return HttpClients.tls(trust, certificate);
  }

  /**
   * Options that equal no others. They differ in the time limit of the handshake, by nanoseconds,
   * which does not make the client load certificates again.
   *
   * @param own the endpoint's own certificate
   */
  ClientSSLOptions uniqueTlsOptions(@Nullable ClientCertificate own) {
    uniqueTlsOptions++;
    return HttpClients.tls(trust, own == null ? certificate : own)
        .setSslHandshakeTimeoutUnit(TimeUnit.NANOSECONDS)
        .setSslHandshakeTimeout(timeout.toNanos() + uniqueTlsOptions);
  }

  BodyBuffers bodies() {
    return bodies;
  }

  Connections connections() {
    return connections;
  }

  WebClient client() {
    return webClient;
  }

  LoopContext context() {
    return context;
  }
}
