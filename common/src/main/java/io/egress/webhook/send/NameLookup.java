package io.egress.webhook.send;

import io.egress.platform.vertx.VertxInternals;
import io.vertx.core.Future;
import io.vertx.core.Vertx;
import java.net.InetAddress;
import java.util.List;

/**
 * Resolves the addresses of a name; fails if it has none. Completes on the event loop of the
 * caller.
 */
@FunctionalInterface
public interface NameLookup {
  Future<List<InetAddress>> addressesOf(String host);

  /** Uses the hosts file and name servers configured for {@code vertx}, without blocking. */
  static NameLookup using(Vertx vertx) {
    return host -> VertxInternals.addressesOf(vertx, host);
  }
}
