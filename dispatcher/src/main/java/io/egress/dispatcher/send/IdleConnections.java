package io.egress.dispatcher.send;

import java.util.Iterator;
import java.util.LinkedHashSet;
import java.util.Set;

/** The unused connections of all endpoints, longest unused first, and the bound on them. */
final class IdleConnections {
  private final int max;
  private final long timeoutNanos;
  private final Set<PooledConnection> connections = new LinkedHashSet<>();

  IdleConnections(int max, long timeoutNanos) {
    this.max = max;
    this.timeoutNanos = timeoutNanos;
  }

  void add(PooledConnection connection) {
    connections.add(connection);
    if (connections.size() > max) {
      closeFirst();
    }
  }

  void remove(PooledConnection connection) {
    connections.remove(connection);
  }

  void closeExpired(long nowNanos) {
    while (!connections.isEmpty()
        && nowNanos - connections.iterator().next().freeSinceNanos() >= timeoutNanos) {
      closeFirst();
    }
  }

  int size() {
    return connections.size();
  }

  private void closeFirst() {
    Iterator<PooledConnection> all = connections.iterator();
    PooledConnection first = all.next();
    all.remove();
    first.close();
  }
}
