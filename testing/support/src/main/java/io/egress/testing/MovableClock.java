package io.egress.testing;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.time.Duration;
import java.time.Instant;
import java.time.InstantSource;
import java.util.Map;
import java.util.Optional;
import java.util.stream.Stream;

/**
 * A clock that a test moves while processes run by it, with libfaketime (Debian's package
 * faketime). Their monotonic clocks stay as they are. Waits of a JVM under libfaketime cost
 * processor time; those of PostgreSQL do not.
 */
public final class MovableClock implements InstantSource {
  /** For JVMs, whose threads read the time concurrently. */
  public static final String THREADED = "libfaketimeMT.so.1";

  /** It reads the time in signal handlers, too, as PostgreSQL does. */
  private static final String PLAIN = "libfaketime.so.1";

  private final Path file;
  private final Path library;
  private volatile Duration ahead = Duration.ZERO;
  private volatile long movedNanos;

  private MovableClock(Path file, Path library) {
    this.file = file;
    this.library = library;
    move(Duration.ZERO);
  }

  /** Empty if libfaketime is not installed. */
  public static Optional<MovableClock> in(Path folder) {
    return library(PLAIN).map(library -> new MovableClock(folder.resolve("clock"), library));
  }

  public static Optional<Path> library(String name) {
    try (Stream<Path> found =
        Files.find(Path.of("/usr/lib"), 3, (path, _) -> path.endsWith("faketime/" + name))) {
      return found.findFirst();
    } catch (IOException failure) {
      throw new UncheckedIOException(failure);
    }
  }

  /** Of processes that go by this clock. */
  public Map<String, String> environment() {
    return Map.of(
        "LD_PRELOAD",
        library.toString(),
        "FAKETIME_TIMESTAMP_FILE",
        file.toString(),
        "FAKETIME_NO_CACHE",
        "1",
        "FAKETIME_DONT_FAKE_MONOTONIC",
        "1",
        "NO_FAKE_STAT",
        "1");
  }

  public synchronized void move(Duration by) {
    ahead = ahead.plus(by);
    try {
      Path next = file.resolveSibling("clock.next");
      Files.writeString(next, "%+d%n".formatted(ahead.toSeconds()));
      movedNanos = System.nanoTime();
      Files.move(next, file, StandardCopyOption.ATOMIC_MOVE, StandardCopyOption.REPLACE_EXISTING);
    } catch (IOException failure) {
      throw new UncheckedIOException(failure);
    }
  }

  /** The time since the last move, by the host's clock. */
  public Duration sinceMoved() {
    return Duration.ofNanos(System.nanoTime() - movedNanos);
  }

  /** How far it is ahead of the host's. */
  public Duration ahead() {
    return ahead;
  }

  @Override
  public Instant instant() {
    return Instant.now().plus(ahead);
  }
}
