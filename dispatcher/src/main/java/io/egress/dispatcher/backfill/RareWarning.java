package io.egress.dispatcher.backfill;

import java.time.Duration;
import org.slf4j.Logger;

/** One warning in a while, however often the trouble is met; the rest is for who debugs. */
final class RareWarning {
  private final Logger log;
  private final long intervalNanos;
  private boolean warned;
  private long warnedAtNanos;

  RareWarning(Logger log, Duration interval) {
    this.log = log;
    this.intervalNanos = interval.toNanos();
  }

  void tell(String message, Throwable failure) {
    long nowNanos = System.nanoTime();
    if (warned && nowNanos - warnedAtNanos < intervalNanos) {
      log.debug("{}: {}", message, failure.toString());
      return;
    }
    warned = true;
    warnedAtNanos = nowNanos;
    log.warn("{}: {}", message, failure.toString());
  }
}
