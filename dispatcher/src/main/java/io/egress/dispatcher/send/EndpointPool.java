package io.egress.dispatcher.send;

import io.egress.endpoint.EndpointUrl;
import io.vertx.core.Completable;
import io.vertx.core.http.HttpClientConnection;
import java.net.InetAddress;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Deque;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * The connections of one endpoint. Vert.x pools by address and so would let one endpoint use up
 * what another one behind the same host needs; here an endpoint can only keep itself waiting.
 *
 * <p>Until the first connection shows which protocol the receiver speaks, one is opened at a time:
 * a second one would be of no use if the first turns out to carry many requests. All on one event
 * loop.
 */
final class EndpointPool {
  /** An attempt that needs a connection: it is told exactly one of these, unless it is removed. */
  interface Waiter {
    void lend(PooledConnection connection);

    /** There is room to open one. To be used at once, by calling {@link EndpointPool#open}. */
    void mayOpen();

    /** A connection that has been in the pool before will not do. */
    boolean wantsFresh();
  }

  /**
   * A connection being opened. An HTTP/2 receiver that never sends its settings leaves it in this
   * state for as long as it likes, and nothing can close it from here: so once abandoned it no
   * longer keeps others from trying, but still counts as one of the endpoint's connections.
   */
  final class Opening {
    private boolean ended;
    private boolean isAbandoned;

    void abandon() {
      if (!ended && !isAbandoned) {
        isAbandoned = true;
        opening--;
        abandoned++;
        serve();
      }
    }

    private void end() {
      ended = true;
      if (isAbandoned) {
        abandoned--;
      } else {
        opening--;
      }
    }
  }

  private enum Protocol {
    UNKNOWN,
    HTTP_1,
    HTTP_2
  }

  private final EndpointUrl url;
  private final PoolContext context;
  private final List<PooledConnection> connections = new ArrayList<>();
  private final Deque<Waiter> waiters = new ArrayDeque<>();
  private Protocol protocol;
  private int opening;
  private int abandoned;
  private boolean serving;
  private boolean changed;

  EndpointPool(EndpointUrl url, PoolContext context) {
    this.url = url;
    this.context = context;
    this.protocol = url.secure() ? Protocol.UNKNOWN : Protocol.HTTP_1;
  }

  /** False where too many wait already. */
  boolean acquire(Waiter waiter) {
    waiters.add(waiter);
    serve();
    if (waiters.size() <= context.limits().maxWaitingPerEndpoint()) {
      return true;
    }
    return !waiters.removeLastOccurrence(waiter);
  }

  void remove(Waiter waiter) {
    waiters.remove(waiter);
  }

  /** Opens a connection and lends it to the caller, or tells it why that failed. */
  Opening open(InetAddress address, Completable<PooledConnection> result) {
    Opening started = new Opening();
    opening++;
    context.openConnections().incrementAndGet();
    context
        .connector()
        .connect(url, address)
        .onComplete(
            (http, failure) -> {
              started.end();
              if (failure == null) {
                result.succeed(opened(http));
              } else {
                context.openConnections().decrementAndGet();
                result.fail(failure);
              }
              serve();
            });
    return started;
  }

  /** Takes back what was lent; a connection that cannot be used again is closed once it is free. */
  void giveBack(PooledConnection connection, boolean reusable) {
    long now = context.nanoTime();
    connection.giveBack(now);
    if (!reusable || connection.isOlderThan(context.limits().maxAge().toNanos(), now)) {
      connection.retire();
    }
    if (connection.isRetired() && connection.isFree()) {
      connection.close();
    } else if (connection.isFree()) {
      context.idle().add(connection);
    }
    serve();
  }

  boolean isEmpty() {
    return connections.isEmpty() && waiters.isEmpty() && opening == 0 && abandoned == 0;
  }

  private PooledConnection opened(HttpClientConnection http) {
    InterimAnswers.unify(http);
    PooledConnection connection = new PooledConnection(http, context.nanoTime());
    protocol = connection.isMultiplexed() ? Protocol.HTTP_2 : Protocol.HTTP_1;
    connections.add(connection);
    connection.whenClosed(() -> closed(connection));
    http.exceptionHandler(failure -> connection.retire());
    if (connection.isMultiplexed()) {
      http.goAwayHandler(goAway -> retire(connection));
    }
    connection.take();
    return connection;
  }

  private void closed(PooledConnection connection) {
    connection.retire();
    if (connections.remove(connection)) {
      context.openConnections().decrementAndGet();
      context.idle().remove(connection);
      serve();
    }
  }

  private void retire(PooledConnection connection) {
    connection.retire();
    if (connection.isFree()) {
      connection.close();
    }
  }

  /** Not re-entrant: what a waiter or a closed connection sets off is seen in another round. */
  private void serve() {
    changed = true;
    if (serving) {
      return;
    }
    serving = true;
    try {
      while (changed) {
        changed = false;
        serveInTurn();
      }
    } finally {
      serving = false;
    }
  }

  private void serveInTurn() {
    for (Waiter next = waiters.peek(); next != null; next = waiters.peek()) {
      PooledConnection connection = next.wantsFresh() ? null : mostRecentlyUsed();
      if (connection != null) {
        waiters.poll();
        context.idle().remove(connection);
        connection.take();
        next.lend(connection);
      } else if (mayOpen(next)) {
        waiters.poll();
        next.mayOpen();
      } else {
        return;
      }
    }
  }

  private boolean mayOpen(Waiter next) {
    int all = connections.size() + opening + abandoned;
    if (all >= context.limits().maxConnectionsPerEndpoint()) {
      if (next.wantsFresh()) {
        connections.stream().filter(PooledConnection::isFree).findFirst().ifPresent(this::retire);
      }
      return false;
    }
    return opening == 0 || protocol == Protocol.HTTP_1;
  }

  /** The rest are left to fall idle. */
  private @Nullable PooledConnection mostRecentlyUsed() {
    long now = context.nanoTime();
    PooledConnection best = null;
    PooledConnection outlived = null;
    for (PooledConnection connection : connections) {
      if (connection.isPastKeepAlive(now)) {
        outlived = connection;
      } else if (connection.hasRoom()
          && (best == null || connection.freeSinceNanos() - best.freeSinceNanos() > 0)) {
        best = connection;
      }
    }
    if (outlived != null) {
      retire(outlived);
    }
    return best;
  }
}
