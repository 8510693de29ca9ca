package io.egress.dispatcher.lane;

import java.time.Duration;
import org.jspecify.annotations.Nullable;

/**
 * Keeps a lane within its owner's limits, and limits its waiting records. More would fill the queue
 * shared by all lanes, so they are parked until the others have been sent.
 */
final class OwnerLimits {
  private static final int WAITING_SECONDS = 10;
  private static final int WAITING_MIN = 16;
  private static final int WAITING_PER_SLOT = 250;

  private final LaneLimits limits;
  private final @Nullable StartPace pace;
  private final Throughput throughput;

  OwnerLimits(LaneLimits limits, long nowNanos) {
    this.limits = limits;
    this.pace = limits.perSecond() == 0 ? null : new StartPace(limits.perSecond(), nowNanos);
    this.throughput = new Throughput(nowNanos);
  }

  LaneLimits limits() {
    return limits;
  }

  int inFlight() {
    return limits.inFlight();
  }

  /** Whether another may start while {@code unsent} are started and not sent. */
  boolean mayStart(int unsent, long nowNanos) {
    return pace == null || (pace.isReady(nowNanos) && unsent < pace.unsentMax());
  }

  /** When the rate limit allows the next start; null if the lane does not wait for that. */
  @Nullable Long readyNanos(int unsent, long nowNanos) {
    return pace == null || pace.isReady(nowNanos) || unsent >= pace.unsentMax()
        ? null
        : pace.readyNanos();
  }

  void started(long nowNanos) {
    throughput.started(nowNanos);
    if (pace != null) {
      pace.started(nowNanos);
    }
  }

  /** How many may wait. */
  int waitingMax() {
    int least = pace == null ? WAITING_PER_SLOT * limits.inFlight() : WAITING_MIN;
    return (int) Math.max(least, WAITING_SECONDS * perSecond());
  }

  /** How long it takes to send this many. */
  Duration waitingTime() {
    double perSecond = perSecond();
    return perSecond == 0
        ? Duration.ZERO
        : Duration.ofMillis((long) (waitingMax() / perSecond * 1_000));
  }

  private double perSecond() {
    return pace == null ? throughput.perSecond() : pace.perSecond();
  }
}
