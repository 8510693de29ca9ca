package io.egress.outage;

import static java.util.Objects.requireNonNull;

import java.time.Duration;
import java.util.Map;
import java.util.concurrent.TimeUnit;
import java.util.function.LongSupplier;
import org.slf4j.Logger;
import org.slf4j.spi.LoggingEventBuilder;

/**
 * Tells that something began to fail, reminds of it once a minute, and tells that it works again,
 * however often it is tried meanwhile; each single failure is for who debugs. What keeps changing
 * its mind is not told anew at every turn. May be called from any thread.
 */
public final class Outage {
  private static final Duration REMINDER_PERIOD = Duration.ofMinutes(1);

  /** An outage that begins sooner after the last warning is told if it is still there by then. */
  private static final Duration WARNING_INTERVAL_MIN = Duration.ofSeconds(10);

  private final Logger log;
  private final String begins;
  private final String ends;
  private final LongSupplier nanoTime;
  private volatile boolean failing;
  private boolean told;
  private boolean everTold;
  private long sinceNanos;
  private long toldAtNanos;
  private long failures;

  /** Both as they are to be read, {@code "x cannot be read and is tried again"}. */
  public Outage(Logger log, String begins, String ends) {
    this(log, begins, ends, System::nanoTime);
  }

  Outage(Logger log, String begins, String ends, LongSupplier nanoTime) {
    this.log = requireNonNull(log, "log is null");
    this.begins = requireNonNull(begins, "begins is null");
    this.ends = requireNonNull(ends, "ends is null");
    this.nanoTime = requireNonNull(nanoTime, "nanoTime is null");
  }

  public void failed(Throwable cause) {
    failed(cause, Map.of());
  }

  /** {@code ids} name what happened to meet the failure. */
  public synchronized void failed(Throwable cause, Map<String, ?> ids) {
    long now = nanoTime.getAsLong();
    if (!failing) {
      failing = true;
      told = false;
      sinceNanos = now;
      failures = 0;
    }
    failures++;
    long quietNanos = (told ? REMINDER_PERIOD : WARNING_INTERVAL_MIN).toNanos();
    boolean warn = !everTold || now - toldAtNanos >= quietNanos;
    LoggingEventBuilder line = warn ? log.atWarn() : log.atDebug();
    if (warn) {
      if (told) {
        line = line.addKeyValue("failures", failures).addKeyValue("seconds", seconds(now));
      }
      told = true;
      everTold = true;
      toldAtNanos = now;
    }
    for (Map.Entry<String, ?> id : ids.entrySet()) {
      line = line.addKeyValue(id.getKey(), id.getValue());
    }
    line.log("{}: {}", begins, cause.toString());
  }

  /** Costs next to nothing while nothing fails. */
  public void worked() {
    if (failing) {
      end();
    }
  }

  private synchronized void end() {
    if (!failing) {
      return;
    }
    failing = false;
    LoggingEventBuilder line = told ? log.atInfo() : log.atDebug();
    line.addKeyValue("seconds", seconds(nanoTime.getAsLong()))
        .addKeyValue("failures", failures)
        .log(ends);
  }

  private long seconds(long now) {
    return TimeUnit.NANOSECONDS.toSeconds(now - sinceNanos);
  }
}
