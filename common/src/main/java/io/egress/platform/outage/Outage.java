package io.egress.platform.outage;

import java.time.Duration;
import java.util.Map;
import java.util.concurrent.TimeUnit;
import java.util.function.LongSupplier;
import org.slf4j.Logger;
import org.slf4j.spi.LoggingEventBuilder;

/**
 * Logs the beginning of an outage, a reminder once a minute, and its end, however often the
 * operation is retried; single failures are logged at DEBUG. A flapping dependency is logged once.
 * Thread-safe.
 */
public final class Outage {
  private static final Duration REMINDER_PERIOD = Duration.ofMinutes(1);

  /** An outage that begins sooner after the last warning is logged only if it lasts until then. */
  private static final Duration WARNING_INTERVAL_MIN = Duration.ofSeconds(10);

  private final Logger log;
  private final String begins;
  private final String ends;
  private final LongSupplier nanoTime;
  private final boolean isOfItsOwn;
  private final Map<String, String> labels;
  private volatile boolean failing;
  private boolean warned;
  private boolean everTold;
  private long sinceNanos;
  private long toldAtNanos;
  private long failures;

  /** Both are whole log messages, such as "Cannot read x; retrying" and "x is read again". */
  public Outage(Logger log, String begins, String ends) {
    this(log, begins, ends, System::nanoTime, false, Map.of());
  }

  Outage(Logger log, String begins, String ends, LongSupplier nanoTime) {
    this(log, begins, ends, nanoTime, false, Map.of());
  }

  private Outage(
      Logger log,
      String begins,
      String ends,
      LongSupplier nanoTime,
      boolean isOfItsOwn,
      Map<String, String> labels) {
    this.isOfItsOwn = isOfItsOwn;
    this.labels = Map.copyOf(labels);
    this.log = log;
    this.begins = begins;
    this.ends = ends;
    this.nanoTime = nanoTime;
  }

  /**
   * Of something that neither PostgreSQL nor Kafka can be the cause of: of a system that nothing
   * else watches, or of one of the two in the eyes of its watch.
   */
  public static Outage ofItsOwn(Logger log, String begins, String ends) {
    return ofItsOwn(log, begins, ends, Map.of());
  }

  /** Each line has the labels. */
  public static Outage ofItsOwn(
      Logger log, String begins, String ends, Map<String, String> labels) {
    return new Outage(log, begins, ends, System::nanoTime, true, labels);
  }

  public void failed(Throwable cause) {
    failed(cause, Map.of());
  }

  /** {@code ids} are logged with the failure. */
  public synchronized void failed(Throwable cause, Map<String, ?> ids) {
    long now = nanoTime.getAsLong();
    if (!failing) {
      failing = true;
      warned = false;
      sinceNanos = now;
      failures = 0;
    }
    failures++;
    long quietNanos = (warned ? REMINDER_PERIOD : WARNING_INTERVAL_MIN).toNanos();
    boolean warn =
        (!everTold || now - toldAtNanos >= quietNanos) && !isReportedElsewhere(cause, now);
    LoggingEventBuilder line = warn ? log.atWarn() : log.atDebug();
    if (warn) {
      if (warned) {
        line = line.addKeyValue("failures", failures).addKeyValue("seconds", seconds(now));
      }
      warned = true;
      everTold = true;
      toldAtNanos = now;
    }
    labeled(labeled(line, labels), ids).log("{}: {}", begins, Reason.of(cause));
  }

  /**
   * A backend that goes away is met at many places. Its watch reports it; the others only if they
   * fail for a while although the watch gets answers.
   */
  private boolean isReportedElsewhere(Throwable cause, long now) {
    return !isOfItsOwn
        && (BackendWatch.hasReported(cause)
            || (BackendWatch.mayReport(cause)
                && now - sinceNanos < WARNING_INTERVAL_MIN.toNanos()));
  }

  /** Cheap while nothing fails. */
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
    LoggingEventBuilder line = warned ? log.atInfo() : log.atDebug();
    line =
        line.addKeyValue("seconds", seconds(nanoTime.getAsLong()))
            .addKeyValue("failures", failures);
    labeled(line, labels).log(ends);
  }

  private static LoggingEventBuilder labeled(LoggingEventBuilder line, Map<String, ?> values) {
    LoggingEventBuilder labeled = line;
    for (Map.Entry<String, ?> value : values.entrySet()) {
      labeled = labeled.addKeyValue(value.getKey(), value.getValue());
    }
    return labeled;
  }

  private long seconds(long now) {
    return TimeUnit.NANOSECONDS.toSeconds(now - sinceNanos);
  }
}
