package io.egress.webhook.send;

import io.vertx.core.Future;
import io.vertx.core.Promise;
import io.vertx.core.Vertx;
import io.vertx.core.internal.VertxInternal;
import io.vertx.core.internal.resolver.NameResolver;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.util.List;

/**
 * Resolves the addresses of a name; fails if it has none. Completes on the event loop of the
 * caller.
 */
@FunctionalInterface
public interface NameLookup {
  Future<List<InetAddress>> addressesOf(String host);

  /**
   * Uses the hosts file and name servers configured for {@code vertx}, without blocking. This needs
   * an internal API: the public one returns a single address, and every address has to be checked.
   */
  static NameLookup using(Vertx vertx) {
    NameResolver resolver = ((VertxInternal) vertx).nameResolver();
    return host -> {
      Promise<List<InetSocketAddress>> resolved = Promise.promise();
      resolver.resolveAll(host, done -> resolved.complete(done.result(), done.cause()));
      return resolved
          .future()
          .map(sockets -> sockets.stream().map(InetSocketAddress::getAddress).toList());
    };
  }
}
