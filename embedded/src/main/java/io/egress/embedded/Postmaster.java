package io.egress.embedded;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.time.Duration;
import java.util.Arrays;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** The running PostgreSQL process of a data folder, verified not to be another process. */
record Postmaster(ProcessHandle process, Path data) {
  private static final Logger log = LoggerFactory.getLogger(Postmaster.class);
  private static final String PID_FILE = "postmaster.pid";
  private static final Duration IMMEDIATE_LIMIT = Duration.ofSeconds(10);
  private static final long POLL_MILLIS = 10;
  private static final Duration COMMAND_LIMIT = Duration.ofSeconds(5);

  /** Process ids are reused: the one in the pid file may belong to another program. */
  static Optional<Postmaster> of(Path data) {
    return pid(data)
        .flatMap(ProcessHandle::of)
        .filter(ProcessHandle::isAlive)
        .filter(process -> serves(process, data))
        .map(process -> new Postmaster(process, data));
  }

  /** Only for a folder without a running postmaster; a stale file can prevent the next start. */
  static void forget(Path data) throws IOException {
    Files.deleteIfExists(data.resolve(PID_FILE));
  }

  private static Optional<Long> pid(Path data) {
    try {
      return Files.readAllLines(data.resolve(PID_FILE)).stream()
          .findFirst()
          .map(line -> Long.valueOf(line.strip()));
    } catch (NoSuchFileException | NumberFormatException none) {
      return Optional.empty();
    } catch (IOException unreadable) {
      throw new UncheckedIOException(unreadable);
    }
  }

  private static boolean serves(ProcessHandle process, Path data) {
    List<String> arguments = Arrays.asList(process.info().arguments().orElse(new String[0]));
    int option = arguments.indexOf("-D");
    if (option >= 0 && option + 1 < arguments.size()) {
      return arguments.get(option + 1).equals(data.toString()) || worksIn(process, data);
    }
    return worksIn(process, data);
  }

  private static boolean worksIn(ProcessHandle process, Path data) {
    try {
      return Files.isSameFile(Path.of("/proc", Long.toString(process.pid()), "cwd"), data);
    } catch (IOException unknown) {
      return false;
    }
  }

  /**
   * Fast shutdown, then immediate, then SIGKILL, each after {@code limit}; returns when the process
   * has ended.
   */
  void stop(Duration limit) {
    if (stopped("INT", limit)) {
      return;
    }
    log.warn(
        "PostgreSQL in {} did not stop within {} s; stopping it immediately",
        data,
        limit.toSeconds());
    stopAtOnce();
  }

  /** Without a checkpoint: the next start recovers from the log. */
  void stopAtOnce() {
    if (!stopped("QUIT", IMMEDIATE_LIMIT) && !stopped("KILL", IMMEDIATE_LIMIT)) {
      throw new EmbeddedBackendException(
          "PostgreSQL process %d in %s cannot be stopped".formatted(process.pid(), data));
    }
  }

  /** Its children end with it as soon as they notice. */
  void kill() {
    if (!stopped("KILL", IMMEDIATE_LIMIT)) {
      throw new EmbeddedBackendException(
          "PostgreSQL process %d in %s cannot be killed".formatted(process.pid(), data));
    }
  }

  private boolean stopped(String signal, Duration limit) {
    String kill = "kill -%s %d".formatted(signal, process.pid());
    Command.run(Path.of("/"), COMMAND_LIMIT, List.of("/bin/sh", "-c", kill));
    long deadline = System.nanoTime() + limit.toNanos();
    while (!isGone()) {
      if (System.nanoTime() - deadline >= 0) {
        return false;
      }
    }
    return true;
  }

  /** Waits briefly: to the JDK, a zombie process is alive. */
  private boolean isGone() {
    try {
      process.onExit().get(POLL_MILLIS, TimeUnit.MILLISECONDS);
      return true;
    } catch (TimeoutException perhapsRunning) {
      return !process.isAlive() || !serves(process, data);
    } catch (ExecutionException failure) {
      throw new IllegalStateException(failure);
    } catch (InterruptedException interrupted) {
      Thread.currentThread().interrupt();
      throw new EmbeddedBackendException("Interrupted while PostgreSQL stops", interrupted);
    }
  }
}
