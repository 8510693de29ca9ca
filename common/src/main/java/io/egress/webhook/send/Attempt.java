package io.egress.webhook.send;

import static java.util.Comparator.comparing;

import io.egress.webhook.send.Outcome.Aborted;
import io.egress.webhook.send.Outcome.Delivered;
import io.egress.webhook.send.Outcome.Failed;
import io.vertx.core.Future;
import io.vertx.core.Promise;
import io.vertx.core.net.ProxyOptions;
import io.vertx.core.net.SocketAddress;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.UnknownHostException;
import java.time.Duration;
import java.util.ArrayDeque;
import java.util.Deque;
import java.util.List;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/**
 * One attempt, from the DNS lookup to the end of the response, under one deadline. It ends exactly
 * once; later events only return connections.
 *
 * <p>A receiver may close a connection at the very moment it is reused, or may have sent bytes
 * after its last response that corrupt the next one. A request that fails on a reused connection
 * before any response is therefore sent once more, on a new connection, within the same attempt and
 * deadline. If the receiver did process the first one, it gets the delivery twice, which
 * at-least-once delivery allows, and the delivery log says.
 */
final class Attempt implements Sending, Exchange.Listener {
  private static final long NO_TIMER = -1;

  /** A name with hundreds of addresses must not turn one attempt into a flood of connections. */
  private static final int MAX_ADDRESSES_TRIED = 4;

  private final Outgoing request;
  private final SendingLoop loop;
  private final Promise<Outcome> promise;
  private final long startNanos;
  private final Deque<InetAddress> untried = new ArrayDeque<>();
  private String doing = "looking up the name";
  private long deadlineTimer = NO_TIMER;
  private long nextAddressTimer = NO_TIMER;
  private @Nullable InetAddress address;
  private @Nullable ProxyOptions proxy;
  private @Nullable Exchange exchange;
  private boolean repeated;
  private @Nullable SentRequest earlier;
  private int status;
  private long answeredNanos;
  private boolean ended;

  /** The deadline counts from {@code startNanos}. */
  Attempt(Outgoing request, SendingLoop loop, long startNanos) {
    this.request = request;
    this.startNanos = startNanos;
    this.loop = loop;
    this.promise = loop.context().promiseToCaller();
  }

  void start() {
    deadlineTimer =
        loop.context().startTimer(loop.timeout().minus(elapsed()), this::deadlinePassed);
    InetAddress literal = request.url().literalAddress();
    if (literal != null) {
      found(List.of(literal));
    } else {
      loop.names()
          .addressesOf(request.url().host())
          .onComplete(
              addresses -> loop.context().run(() -> found(addresses)),
              failure -> loop.context().run(() -> fail(AttemptFailure.ofLookup(failure))));
    }
  }

  private void found(List<InetAddress> addresses) {
    if (ended) {
      return;
    }
    String host = request.url().host();
    if (addresses.isEmpty()) {
      fail(new AttemptFailure(FailureKind.DNS, host + " has no address"));
      return;
    }
    for (InetAddress address : addresses) {
      String refusal = loop.policy().refusal(address);
      if (refusal != null) {
        fail(new AttemptFailure(FailureKind.BLOCKED_ADDRESS, host + ": " + refusal));
        return;
      }
    }
    connectedFirst(addresses).limit(MAX_ADDRESSES_TRIED).forEach(untried::add);
    tryNextAddress();
  }

  /** Otherwise an unreachable address would use up its share of the time in every attempt. */
  private Stream<InetAddress> connectedFirst(List<InetAddress> addresses) {
    return addresses.stream().sorted(comparing(address -> !isConnectedTo(address)));
  }

  private boolean isConnectedTo(InetAddress address) {
    return loop.connections().isOpenTo(pinned(null, address));
  }

  private void tryNextAddress() {
    address = untried.remove();
    if (!untried.isEmpty()) {
      Duration share = loop.timeout().minus(elapsed()).dividedBy(untried.size() + 1);
      nextAddressTimer = loop.context().startTimer(share, this::giveUpAddress);
    }
    connect(address, true);
  }

  private void giveUpAddress() {
    if (exchange != null) {
      exchange.cut(false);
    }
    tryNextAddress();
  }

  private void connect(InetAddress to, boolean keepConnection) {
    proxy = loop.proxyTo(request.url(), to);
    doing = "connecting";
    if (proxy != null && !request.url().secure()) {
      fail(new AttemptFailure(FailureKind.PROXY, "plain http is not sent through a proxy"));
      return;
    }
    if (!loop.connections().mayOpen(request.endpointId())) {
      fail(new AttemptFailure(FailureKind.CONNECT, "too many connections to it are being opened"));
      return;
    }
    // A proxy connects to the name if there is one, so it gets none.
    String name = keepConnection || proxy != null ? null : "fresh-" + request.id();
    exchange = new Exchange(request, pinned(name, to), proxy, keepConnection, loop, this);
    exchange.start();
  }

  /**
   * The address under the given name. Vert.x connects to the address and uses the name only as part
   * of the pool's key.
   */
  private SocketAddress pinned(@Nullable String name, InetAddress to) {
    try {
      InetAddress named = InetAddress.getByAddress(name, to.getAddress());
      return SocketAddress.inetSocketAddress(new InetSocketAddress(named, request.url().port()));
    } catch (UnknownHostException wrongLength) {
      throw new IllegalStateException(wrongLength);
    }
  }

  @Override
  public void failedToConnect(Throwable failure) {
    loop.context().cancelTimer(nextAddressTimer);
    if (untried.isEmpty()) {
      fail(
          proxy == null
              ? AttemptFailure.whileConnecting(failure)
              : AttemptFailure.whileConnectingThroughProxy(failure));
    } else {
      tryNextAddress();
    }
  }

  @Override
  public void connected() {
    loop.context().cancelTimer(nextAddressTimer);
    doing = "waiting for the status line";
  }

  @Override
  public void answered(int finalStatus) {
    status = finalStatus;
    answeredNanos = System.nanoTime();
  }

  @Override
  public void finished() {
    end(answeredOutcome());
  }

  @Override
  public void broke(Throwable failure) {
    if (hasAnswer()) {
      end(answeredOutcome());
    } else if (!repeated
        && address != null
        && exchange != null
        && exchange.deservesFreshConnection(failure)) {
      repeated = true;
      earlier = exchange.exchanged().request();
      connect(address, false);
    } else {
      fail(AttemptFailure.whileWaiting(failure));
    }
  }

  private boolean hasAnswer() {
    return status != 0;
  }

  private void deadlinePassed() {
    if (hasAnswer()) {
      end(answeredOutcome());
    } else {
      String limit = " within " + loop.timeout().toMillis() + " ms";
      fail(
          isWaitingForProxy()
              ? new AttemptFailure(FailureKind.PROXY, "no connection through the proxy" + limit)
              : new AttemptFailure(FailureKind.TIMEOUT, "no status line" + limit + ": " + doing));
    }
  }

  /** A proxy that hangs looks like an endpoint that hangs, for all endpoints at once. */
  private boolean isWaitingForProxy() {
    return proxy != null && exchange != null && !exchange.isConnected();
  }

  @Override
  public void abort(String reason) {
    loop.context().run(() -> end(hasAnswer() ? answeredOutcome() : new Aborted(reason, elapsed())));
  }

  @Override
  public Future<Outcome> outcome() {
    return promise.future();
  }

  private void fail(AttemptFailure failure) {
    end(
        new Failed(
            failure.kind(),
            null,
            AttemptFailure.tidy(request.redaction().in(failure.detail())),
            elapsed(),
            exchanged()),
        failure.kind() == FailureKind.TIMEOUT || failure.kind() == FailureKind.PROXY);
  }

  private Outcome answeredOutcome() {
    Duration duration = Duration.ofNanos(answeredNanos - startNanos);
    return status >= 200 && status <= 299
        ? new Delivered(status, duration, exchanged())
        : new Failed(FailureKind.STATUS, status, "answered " + status, duration, exchanged());
  }

  private Exchanged exchanged() {
    return exchange == null ? Exchanged.NOTHING : exchange.exchanged().after(earlier);
  }

  private Duration elapsed() {
    return Duration.ofNanos(System.nanoTime() - startNanos);
  }

  private void end(Outcome outcome) {
    end(outcome, false);
  }

  private void end(Outcome outcome, boolean connectionIsSuspect) {
    if (ended) {
      return;
    }
    ended = true;
    loop.context().cancelTimer(deadlineTimer);
    loop.context().cancelTimer(nextAddressTimer);
    if (exchange != null) {
      exchange.cut(connectionIsSuspect);
    }
    loop.ended(this);
    promise.complete(outcome);
  }
}
