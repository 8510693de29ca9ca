package io.egress.testing;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.Socket;

/**
 * A port of 127.0.0.1 that refuses connections: it is bound, so nobody else gets it, and nothing
 * listens on it.
 */
public final class ClosedPort implements AutoCloseable {
  private final Socket bound;

  private ClosedPort(Socket bound) {
    this.bound = bound;
  }

  public static ClosedPort open() {
    try {
      Socket socket = new Socket();
      socket.bind(new InetSocketAddress(InetAddress.getLoopbackAddress(), 0));
      return new ClosedPort(socket);
    } catch (IOException failure) {
      throw new UncheckedIOException(failure);
    }
  }

  public int number() {
    return bound.getLocalPort();
  }

  @Override
  public void close() {
    try {
      bound.close();
    } catch (IOException failure) {
      throw new UncheckedIOException(failure);
    }
  }
}
