package io.egress.testing;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.net.Socket;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;

/** A port of 127.0.0.1 whose connections have a thread each. */
final class Listener implements AutoCloseable {
  /** Ends quietly with an {@code IOException}: a connection was closed. */
  interface Work {
    void run() throws IOException;
  }

  interface Service {
    void serve(Socket client) throws IOException;
  }

  private final ServerSocket listening;
  private final Set<Socket> sockets = ConcurrentHashMap.newKeySet();

  private Listener(ServerSocket listening) {
    this.listening = listening;
  }

  static Listener open() {
    try {
      return new Listener(new ServerSocket(0, 0, InetAddress.getLoopbackAddress()));
    } catch (IOException failure) {
      throw new UncheckedIOException(failure);
    }
  }

  int port() {
    return listening.getLocalPort();
  }

  void serve(Service service) {
    start(() -> {
      while (true) {
        Socket client = listening.accept();
        sockets.add(client);
        start(() -> service.serve(client));
      }
    });
  }

  /** Runs beside the others. */
  void start(Work work) {
    Thread.ofPlatform()
        .daemon()
        .name("proxy-" + port())
        .start(() -> {
          try {
            work.run();
          } catch (IOException ended) {
            // By close(), or by the other side.
          }
        });
  }

  /** A connection to a server, which ends with the others. */
  Socket connect(String host, int port) throws IOException {
    Socket server = new Socket(host, port);
    sockets.add(server);
    return server;
  }

  void end(Socket socket) {
    sockets.remove(socket);
    closeQuietly(socket);
  }

  void reset(Socket socket) {
    try {
      socket.setSoLinger(true, 0);
    } catch (IOException isClosed) {
      // Nothing is left to reset.
    }
    end(socket);
  }

  void endAll() {
    sockets.forEach(this::end);
  }

  void resetAll() {
    sockets.forEach(this::reset);
  }

  /** No more connections; those that are open stay. */
  @Override
  public void close() {
    closeQuietly(listening);
  }

  private static void closeQuietly(AutoCloseable closed) {
    try {
      closed.close();
    } catch (Exception isClosed) {
      // Nothing is left to close.
    }
  }
}
