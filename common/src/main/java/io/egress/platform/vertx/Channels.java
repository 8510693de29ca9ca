package io.egress.platform.vertx;

import io.netty.channel.Channel;
import io.vertx.core.http.HttpConnection;
import io.vertx.core.http.impl.HttpClientConnectionInternal;
import io.vertx.core.http.impl.HttpServerConnection;
import io.vertx.core.internal.net.NetSocketInternal;

/** The Netty channels below HTTP connections. Vert.x has no public way to add a handler to one. */
public final class Channels {
  private Channels() {}

  public static Channel of(HttpConnection connection) {
    return switch (connection) {
      case HttpServerConnection server -> server.channelHandlerContext().channel();
      case HttpClientConnectionInternal client -> client.channelHandlerContext().channel();
      default -> throw new IllegalArgumentException("no channel in " + connection.getClass());
    };
  }

  /** Whether {@code failure} is the one that Vert.x reports for every connection that closed. */
  public static boolean isClosed(Throwable failure) {
    return NetSocketInternal.CLOSED_EXCEPTION.equals(failure);
  }
}
