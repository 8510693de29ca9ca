package io.egress.dispatcher.send;

import io.vertx.core.Future;
import io.vertx.core.Vertx;
import java.net.InetAddress;
import java.util.List;

/**
 * Finds the addresses of a name; fails where there are none. Answers on the event loop that asked.
 */
@FunctionalInterface
public interface NameLookup {
  Future<List<InetAddress>> addressesOf(String host);

  /** Asks the hosts file and the name servers that {@code vertx} is set up with. */
  static NameLookup using(Vertx vertx) {
    return new VertxNameLookup(vertx);
  }
}
