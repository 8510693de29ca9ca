package io.egress.platform.lifecycle;

import io.egress.platform.environment.SettingsException;
import io.egress.platform.log.Logs;
import io.egress.platform.outage.Reason;
import io.vertx.core.Future;
import io.vertx.core.Vertx;
import java.util.ArrayDeque;
import java.util.Deque;
import java.util.concurrent.Callable;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import java.util.function.Consumer;
import java.util.function.Supplier;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * A process that runs until SIGTERM or SIGINT and then closes what it opened, newest first. A clean
 * stop exits with 0.
 */
public final class RunningProcess {
  private static final int EXIT_UNUSABLE_SETTINGS = 2;
  private static final long START_MINUTES_MAX = 5;
  private static final long CLOSE_MINUTES_MAX = 2;

  /** The exit status of the JVM. */
  private static volatile int status;

  private static volatile boolean starting;

  /** A start that fails because the process is stopped is not a failure. */
  private static volatile boolean stopping;

  /** Set by {@link #begin}: from then on the process closes its parts itself, the log last. */
  private static volatile boolean begun;

  private record Part(String name, AutoCloseable close) {}

  /** Not static: a command only exits by this class, and must not load Logback for it. */
  private final Logger log = LoggerFactory.getLogger(RunningProcess.class);

  private final Deque<Part> parts = new ArrayDeque<>();
  private final CountDownLatch closed = new CountDownLatch(1);

  /** From now on a signal closes everything registered with {@link #push}. */
  public static RunningProcess begin() {
    RunningProcess process = new RunningProcess();
    begun = true;
    Runtime.getRuntime().addShutdownHook(new Thread(process::stopAndHalt, "egress-stop"));
    AotCache.warnIfRefused();
    return process;
  }

  public synchronized void push(String name, AutoCloseable close) {
    parts.push(new Part(name, close));
  }

  /** For parts that close asynchronously. */
  public void pushAsync(String name, Supplier<Future<Void>> close) {
    push(name, () -> close.get().await(CLOSE_MINUTES_MAX, TimeUnit.MINUTES));
  }

  /** Its event loops are kept for a start in progress, whose steps they run. */
  public void push(Vertx vertx) {
    push(
        "Vert.x",
        () -> {
          if (!starting) {
            vertx.close().await(CLOSE_MINUTES_MAX, TimeUnit.MINUTES);
          }
        });
  }

  public static <T> T await(Future<T> start) {
    starting = true;
    try {
      return start.await(START_MINUTES_MAX, TimeUnit.MINUTES);
    } catch (TimeoutException late) {
      throw new IllegalStateException("not up within " + START_MINUTES_MAX + " minutes", late);
    } finally {
      starting = false;
    }
  }

  public void waitForStop() {
    try {
      closed.await();
    } catch (InterruptedException interrupted) {
      Thread.currentThread().interrupt();
    }
  }

  /** Ends the JVM with the status returned by {@code program}, or prints why it failed. */
  public static void run(Callable<Integer> program) {
    int exitStatus;
    try {
      exitStatus = program.call();
    } catch (Exception failure) {
      exitStatus = report(failure, System.err::println);
    }
    exit(exitStatus);
  }

  /** Tells {@code err} of a failure; returns the exit status for it. */
  public static int report(Exception failure, Consumer<String> err) {
    if (stopping) {
      return 0;
    }
    if (failure instanceof SettingsException unusable) {
      unusable.faults().forEach(err);
      return EXIT_UNUSABLE_SETTINGS;
    }
    err.accept(failure.getMessage() == null ? Reason.of(failure) : failure.getMessage());
    return 1;
  }

  public static void exit(int exitStatus) {
    status = exitStatus;
    if (!begun) {
      Logs.close();
    }
    System.exit(exitStatus);
  }

  /**
   * A JVM ended by a signal would exit with the signal's status, but a requested stop is not a
   * failure.
   */
  private void stopAndHalt() {
    stopping = true;
    log.info("Stopping");
    close();
    log.info("Stopped");
    Logs.close();
    Runtime.getRuntime().halt(status);
  }

  private synchronized void close() {
    while (!parts.isEmpty()) {
      Part part = parts.pop();
      try {
        part.close().close();
      } catch (Exception failure) {
        log.warn("Cannot close {}: {}", part.name(), Reason.of(failure));
      }
    }
    closed.countDown();
  }
}
