package io.egress.embedded;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.StandardSocketOptions;
import java.nio.channels.SocketChannel;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ThreadLocalRandom;
import java.util.concurrent.locks.LockSupport;
import java.util.stream.Stream;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * A server's ports, chosen once and kept beside its data, so that addresses written down elsewhere
 * stay true over restarts.
 */
final class KeptPorts {
  private static final Logger log = LoggerFactory.getLogger(KeptPorts.class);

  // Below the range Linux and macOS take local ports of outgoing connections from: such a
  // connection must not sit on a kept port when the server comes back.
  private static final int LOWEST = 15_000;
  private static final int HIGHEST = 32_000;
  private static final Duration LET_GO_LIMIT = Duration.ofSeconds(1);
  private static final long POLL_NANOS = Duration.ofMillis(20).toNanos();
  private static final int ATTEMPTS_MAX = 1_000;

  private static final Set<Integer> CHOSEN_HERE = ConcurrentHashMap.newKeySet();

  private KeptPorts() {}

  static List<Integer> keptOrFree(Path file, int count, String server) {
    List<Integer> kept = read(file);
    if (kept.size() == count && kept.stream().allMatch(KeptPorts::becomesFree)) {
      return kept;
    }
    List<Integer> chosen = Stream.generate(KeptPorts::free).limit(count).toList();
    if (!kept.isEmpty()) {
      log.warn("{} moves from port {}, which is taken, to {}", server, kept, chosen);
    }
    write(file, chosen);
    return chosen;
  }

  /** Waits a moment for a process that is just ending, or for a child it started, to let go. */
  static boolean becomesFree(int port) {
    long deadline = System.nanoTime() + LET_GO_LIMIT.toNanos();
    while (!isFree(port)) {
      if (System.nanoTime() - deadline >= 0) {
        return false;
      }
      LockSupport.parkNanos(POLL_NANOS);
    }
    return true;
  }

  /**
   * Binds without listening: a child process started at this moment inherits the socket for a
   * while, and one that listened would keep the server itself from its port.
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

  private static int free() {
    for (int attempt = 0; attempt < ATTEMPTS_MAX; attempt++) {
      int port = ThreadLocalRandom.current().nextInt(LOWEST, HIGHEST);
      if (CHOSEN_HERE.add(port) && isFree(port)) {
        return port;
      }
    }
    throw new EmbeddedBackendException(
        "Found no free port between %d and %d on 127.0.0.1".formatted(LOWEST, HIGHEST));
  }

  private static List<Integer> read(Path file) {
    try {
      return Files.exists(file)
          ? Files.readAllLines(file).stream().map(line -> Integer.valueOf(line.strip())).toList()
          : List.of();
    } catch (IOException | NumberFormatException unreadable) {
      log.warn("Cannot read {}; choosing new ports: {}", file, unreadable.toString());
      return List.of();
    }
  }

  private static void write(Path file, List<Integer> ports) {
    try {
      Files.write(file, ports.stream().map(String::valueOf).toList());
    } catch (IOException failure) {
      throw new UncheckedIOException(failure);
    }
  }
}
