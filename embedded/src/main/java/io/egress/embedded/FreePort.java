package io.egress.embedded;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.StandardSocketOptions;
import java.nio.channels.FileChannel;
import java.nio.channels.OverlappingFileLockException;
import java.nio.channels.SocketChannel;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.util.concurrent.ThreadLocalRandom;

/**
 * A port for a server that starts later, or restarts.
 *
 * <p>It is below the range from which Linux and macOS take the local ports of outgoing connections:
 * a port returned by the kernel for port 0 may be in use by such a connection by the time the
 * server binds it. No other process of this user chooses it until this one has ended: a server that
 * is down for a while finds its port free when it restarts.
 */
public final class FreePort {
  private static final int LOWEST = 15_000;
  private static final int HIGHEST = 32_000;
  private static final int ATTEMPTS_MAX = 1_000;

  /** The byte at offset n is locked by the process that has chosen port n. */
  private static final FileChannel CHOSEN = openChosen();

  private FreePort() {}

  /** Never returns a port that this or another running process has chosen. */
  public static int choose() {
    for (int attempt = 0; attempt < ATTEMPTS_MAX; attempt++) {
      int port = ThreadLocalRandom.current().nextInt(LOWEST, HIGHEST);
      if (lock(port) && isFree(port)) {
        return port;
      }
    }
    throw new EmbeddedBackendException(
        "Found no free port between %d and %d on 127.0.0.1".formatted(LOWEST, HIGHEST));
  }

  private static FileChannel openChosen() {
    Path file =
        Path.of(
            System.getProperty("java.io.tmpdir"),
            "egress-ports-" + System.getProperty("user.name") + ".lock");
    try {
      return FileChannel.open(file, StandardOpenOption.CREATE, StandardOpenOption.WRITE);
    } catch (IOException failure) {
      throw new UncheckedIOException(failure);
    }
  }

  /** Until this process ends. */
  private static boolean lock(int port) {
    try {
      return CHOSEN.tryLock(port, 1, false) != null;
    } catch (OverlappingFileLockException chosenHere) {
      return false;
    } catch (IOException failure) {
      throw new UncheckedIOException(failure);
    }
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
