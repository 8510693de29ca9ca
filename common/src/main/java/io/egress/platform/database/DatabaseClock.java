package io.egress.platform.database;

import java.time.Clock;
import java.time.Duration;
import java.time.Instant;
import java.time.InstantSource;
import java.time.ZoneId;
import java.time.ZoneOffset;
import java.util.concurrent.TimeUnit;
import java.util.function.LongSupplier;

/**
 * PostgreSQL's clock, as this process knows it: the processes of a fleet share it, whatever the
 * clocks of their hosts show. Between two readings it advances by the monotonic clock. An answer
 * bounds the difference between the two clocks: the server read its clock after the request was
 * sent and before the answer arrived. The difference changes only as far as the newest bounds
 * require, so a slow answer does not move the clock. Before the first reading it is the host's
 * clock. Thread-safe.
 */
public final class DatabaseClock extends Clock {
  private final LongSupplier nanoTime;
  private final InstantSource host;
  private volatile long aheadNanos;
  private volatile boolean isKnown;

  DatabaseClock() {
    this(System::nanoTime, InstantSource.system());
  }

  DatabaseClock(LongSupplier nanoTime, InstantSource host) {
    this.nanoTime = nanoTime;
    this.host = host;
  }

  /** The time that the server answered to a request that was sent at {@code sentNanos}. */
  public synchronized void read(Instant answer, long sentNanos) {
    long answered = nanosSinceEpoch(answer);
    long least = answered - nanoTime.getAsLong();
    long most = answered - sentNanos;
    aheadNanos = isKnown ? Math.clamp(aheadNanos, least, most) : least + (most - least) / 2;
    isKnown = true;
  }

  @Override
  public Instant instant() {
    return isKnown ? Instant.EPOCH.plusNanos(nanoTime.getAsLong() + aheadNanos) : host.instant();
  }

  /** How far the host's clock is ahead; negative if it is behind, zero before the first reading. */
  public Duration hostAhead() {
    return isKnown ? Duration.between(instant(), host.instant()) : Duration.ZERO;
  }

  @Override
  public ZoneId getZone() {
    return ZoneOffset.UTC;
  }

  @Override
  public Clock withZone(ZoneId zone) {
    throw new UnsupportedOperationException("only instants are read from it");
  }

  private static long nanosSinceEpoch(Instant instant) {
    return TimeUnit.SECONDS.toNanos(instant.getEpochSecond()) + instant.getNano();
  }
}
