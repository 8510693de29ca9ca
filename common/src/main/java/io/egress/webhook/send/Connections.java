package io.egress.webhook.send;

import io.egress.platform.vertx.Channels;
import io.netty.channel.Channel;
import io.vertx.core.http.HttpConnection;
import io.vertx.core.net.SocketAddress;
import java.time.Duration;
import java.util.HashMap;
import java.util.LinkedHashSet;
import java.util.Map;
import java.util.Set;
import java.util.UUID;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import org.jspecify.annotations.Nullable;

/**
 * The open connections of one event loop, with limits that Vert.x lacks: on idle connections over
 * all endpoints, and on those that an endpoint leaves half open. Pooling, and closing connections
 * that were idle for too long, is done by Vert.x.
 */
final class Connections {
  /** An open connection and its use. */
  final class Connection {
    private static final int WINDOW_OF_HTTP_1 = -1;

    private final HttpConnection http;
    private @Nullable SocketAddress address;
    private int active;
    private boolean used;
    private boolean goneAway;

    private Connection(HttpConnection http) {
      this.http = http;
    }

    /** HTTP/2: one connection carries many requests, and ending one does not affect the others. */
    boolean isMultiplexed() {
      return http.getWindowSize() != WINDOW_OF_HTTP_1;
    }

    /** Whether it has carried a request before, and so may be stale. */
    boolean wasUsed() {
      return used;
    }

    boolean hasGoneAway() {
      return goneAway;
    }

    void close() {
      http.close();
    }

    /** Accepts no further requests; those in progress may end. */
    private void retire() {
      if (isMultiplexed()) {
        http.shutdown(drainPatience.toMillis(), TimeUnit.MILLISECONDS);
      } else {
        http.close();
      }
    }
  }

  private final int maxIdle;
  private final int maxOpeningPerEndpoint;
  private final Duration drainPatience;
  private final AtomicInteger total;
  private final Map<HttpConnection, Connection> open = new HashMap<>();
  private final Map<SocketAddress, Integer> openByAddress = new HashMap<>();
  private final Map<UUID, Integer> openingByEndpoint = new HashMap<>();
  private final Set<Connection> idle = new LinkedHashSet<>();

  /** {@code total} counts the connections of all event loops. */
  Connections(int maxIdle, int maxOpeningPerEndpoint, Duration drainPatience, AtomicInteger total) {
    this.maxIdle = maxIdle;
    this.maxOpeningPerEndpoint = maxOpeningPerEndpoint;
    this.drainPatience = drainPatience;
    this.total = total;
  }

  /** The connection handler of the client. */
  void opened(HttpConnection http) {
    Channel channel = Channels.of(http);
    Connection connection = new Connection(http);
    InterimAnswers.unify(channel.pipeline());
    if (connection.isMultiplexed()) {
      http.exceptionHandler(_ -> {}); // The requests on it fail, too.
      http.goAwayHandler(_ -> {
        connection.goneAway = true;
        channel.eventLoop().execute(connection::retire);
      });
    } else {
      // Vert.x closes it, too, but keeps it in its pool until the TLS shutdown is complete.
      http.exceptionHandler(_ -> channel.eventLoop().execute(connection::close));
    }
    open.put(http, connection);
    total.incrementAndGet();
    channel.closeFuture().addListener(closed -> closed(connection));
  }

  /**
   * A receiver can keep a connection half open indefinitely: HTTP/2 waits for its SETTINGS frame,
   * and Vert.x provides no handle to such a connection.
   */
  boolean mayOpen(UUID endpointId) {
    return openingByEndpoint.getOrDefault(endpointId, 0) < maxOpeningPerEndpoint;
  }

  void opening(UUID endpointId) {
    openingByEndpoint.merge(endpointId, 1, Integer::sum);
    total.incrementAndGet();
  }

  /** The connection is open, or opening it failed. */
  void settled(UUID endpointId) {
    total.decrementAndGet();
    openingByEndpoint.computeIfPresent(endpointId, (_, count) -> count == 1 ? null : count - 1);
  }

  boolean isOpenTo(SocketAddress address) {
    return openByAddress.containsKey(address);
  }

  Connection take(HttpConnection http, SocketAddress address) {
    Connection connection = open.get(http);
    if (connection == null) {
      connection = new Connection(http); // Closed, but not yet removed from its pool.
      connection.used = true;
    } else if (connection.address == null) {
      connection.address = address;
      openByAddress.merge(address, 1, Integer::sum);
    }
    idle.remove(connection);
    connection.active++;
    return connection;
  }

  void giveBack(Connection connection, boolean reusable) {
    connection.active--;
    connection.used = true;
    if (!reusable) {
      connection.retire();
    }
    if (connection.active == 0 && open.containsKey(connection.http)) {
      idle.add(connection);
      if (idle.size() > maxIdle) {
        Connection eldest = idle.iterator().next();
        idle.remove(eldest);
        eldest.close();
      }
    }
  }

  private void closed(Connection connection) {
    open.remove(connection.http);
    idle.remove(connection);
    total.decrementAndGet();
    if (connection.address != null) {
      openByAddress.computeIfPresent(
          connection.address, (_, count) -> count == 1 ? null : count - 1);
    }
  }
}
