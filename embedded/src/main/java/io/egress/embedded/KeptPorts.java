package io.egress.embedded;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.locks.LockSupport;
import java.util.stream.Stream;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * A server's ports, chosen once and stored beside its data, so that its addresses stay valid across
 * restarts.
 */
final class KeptPorts {
  private static final Logger log = LoggerFactory.getLogger(KeptPorts.class);

  private static final Duration LET_GO_LIMIT = Duration.ofSeconds(1);
  private static final long POLL_NANOS = Duration.ofMillis(20).toNanos();

  private KeptPorts() {}

  static List<Integer> keptOrFree(Path file, int count, String server) {
    List<Integer> kept = read(file);
    if (kept.size() == count && kept.stream().allMatch(KeptPorts::becomesFree)) {
      return kept;
    }
    List<Integer> chosen = Stream.generate(FreePort::choose).limit(count).toList();
    if (!kept.isEmpty()) {
      log.warn("{} moves from port {}, which is taken, to {}", server, kept, chosen);
    }
    write(file, chosen);
    return chosen;
  }

  /** Waits briefly for an ending process, or a child of it, to release the ports. */
  static boolean becomesFree(int port) {
    long deadline = System.nanoTime() + LET_GO_LIMIT.toNanos();
    while (!FreePort.isFree(port)) {
      if (System.nanoTime() - deadline >= 0) {
        return false;
      }
      LockSupport.parkNanos(POLL_NANOS);
    }
    return true;
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
