package io.egress.embedded;

import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.StandardSocketOptions;
import java.nio.channels.SocketChannel;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ThreadLocalRandom;

/**
 * A port for a server that starts later, or restarts.
 *
 * <p>It is below the range from which Linux and macOS take the local ports of outgoing connections:
 * a port returned by the kernel for port 0 may be in use by such a connection by the time the
 * server binds it.
 */
public final class FreePort {
  private static final int LOWEST = 15_000;
  private static final int HIGHEST = 32_000;
  private static final int ATTEMPTS_MAX = 1_000;

  private static final Set<Integer> CHOSEN_HERE = ConcurrentHashMap.newKeySet();

  private FreePort() {}

  /** Never returns a port twice. */
  public static int choose() {
    for (int attempt = 0; attempt < ATTEMPTS_MAX; attempt++) {
      int port = ThreadLocalRandom.current().nextInt(LOWEST, HIGHEST);
      if (CHOSEN_HERE.add(port) && isFree(port)) {
        return port;
      }
    }
    throw new EmbeddedBackendException(
        "Found no free port between %d and %d on 127.0.0.1".formatted(LOWEST, HIGHEST));
  }

  /**
   * Binds without listening: a child process started at this moment inherits the socket for a
   * while, and a listening one would keep the server itself from its port.
   */
  static boolean isFree(int port) {
    try (SocketChannel socket = SocketChannel.open()) {
      socket.setOption(StandardSocketOptions.SO_REUSEADDR, true);
      socket.bind(new InetSocketAddress(InetAddress.getByAddress(new byte[] {127, 0, 0, 1}), port));
      return true;
    } catch (IOException taken) {
      return false;
    }
  }
}
