package io.egress.embedded;

import java.time.Duration;
import java.util.List;
import java.util.concurrent.TimeUnit;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Restarts servers that ended by themselves, for instance when the disk was full. One that was
 * stopped deliberately stays stopped.
 */
final class Supervisor implements AutoCloseable {
  private static final Logger log = LoggerFactory.getLogger(Supervisor.class);
  private static final Duration PERIOD = Duration.ofSeconds(2);
  private static final Duration PERIOD_AFTER_FAILURE = Duration.ofSeconds(8);
  private static final Duration CLOSE_MAX = Duration.ofSeconds(5);

  private final Thread thread;
  private volatile boolean closed;
  private String lastFailure = "";

  Supervisor(List<Runnable> restartsIfFailed) {
    this.thread = new Thread(() -> watch(restartsIfFailed), "embedded-supervisor");
    thread.setDaemon(true);
    thread.start();
  }

  private void watch(List<Runnable> restartsIfFailed) {
    Duration period = PERIOD;
    while (!closed) {
      try {
        TimeUnit.MILLISECONDS.sleep(period.toMillis());
      } catch (InterruptedException closing) {
        return;
      }
      period = PERIOD;
      for (Runnable restartIfFailed : restartsIfFailed) {
        period = attempt(restartIfFailed) ? period : PERIOD_AFTER_FAILURE;
      }
    }
  }

  /** Failures are retried; a repeated failure is logged once. */
  private boolean attempt(Runnable restartIfFailed) {
    if (closed) {
      return true;
    }
    try {
      restartIfFailed.run();
      return true;
    } catch (RuntimeException failure) {
      String message = String.valueOf(failure.getMessage());
      if (!message.equals(lastFailure)) {
        lastFailure = message;
        log.error("An embedded server cannot be started again; retrying: {}", message);
      }
      return false;
    }
  }

  @Override
  public void close() {
    closed = true;
    thread.interrupt();
    try {
      thread.join(CLOSE_MAX.toMillis());
    } catch (InterruptedException interrupted) {
      Thread.currentThread().interrupt();
    }
  }
}
