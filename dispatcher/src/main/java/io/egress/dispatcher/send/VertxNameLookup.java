package io.egress.dispatcher.send;

import static java.util.Objects.requireNonNull;

import io.vertx.core.Future;
import io.vertx.core.Promise;
import io.vertx.core.Vertx;
import io.vertx.core.internal.VertxInternal;
import io.vertx.core.internal.resolver.NameResolver;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.util.List;

/**
 * Vert.x' own resolver, which never blocks a thread. It is reached through the internal API because
 * the public one answers with a single address, and every address has to be judged.
 */
final class VertxNameLookup implements NameLookup {
  private final NameResolver resolver;

  VertxNameLookup(Vertx vertx) {
    this.resolver = ((VertxInternal) requireNonNull(vertx, "vertx is null")).nameResolver();
  }

  @Override
  public Future<List<InetAddress>> addressesOf(String host) {
    Promise<List<InetSocketAddress>> resolved = Promise.promise();
    resolver.resolveAll(host, done -> resolved.complete(done.result(), done.cause()));
    return resolved
        .future()
        .map(sockets -> sockets.stream().map(InetSocketAddress::getAddress).toList());
  }
}
