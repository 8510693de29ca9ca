package io.egress.platform.database;

import java.time.Clock;
import java.time.Duration;
import java.time.Instant;
import java.time.InstantSource;
import java.time.ZoneId;
import java.time.ZoneOffset;
import java.util.List;
import java.util.concurrent.CopyOnWriteArrayList;
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
  /** The network explains less: the server's clock was set, or this host slept. */
  private static final long LEAP_NANOS_MIN = TimeUnit.MINUTES.toNanos(1);

  private final List<Runnable> leaps = new CopyOnWriteArrayList<>();
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
  public void read(Instant answer, long sentNanos) {
    if (leapsTo(answer, sentNanos)) {
      leaps.forEach(Runnable::run);
    }
  }

  /**
   * {@code listener} is called when this clock has moved by more than the time that has passed. It
   * must not block.
   */
  public void onLeap(Runnable listener) {
    leaps.add(listener);
  }

  private synchronized boolean leapsTo(Instant answer, long sentNanos) {
    long before = aheadNanos;
    boolean wasKnown = isKnown;
    long answered = nanosSinceEpoch(answer);
    long least = answered - nanoTime.getAsLong();
    long most = answered - sentNanos;
    aheadNanos = isKnown ? Math.clamp(aheadNanos, least, most) : least + (most - least) / 2;
    isKnown = true;
    return wasKnown && Math.abs(aheadNanos - before) > LEAP_NANOS_MIN;
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
