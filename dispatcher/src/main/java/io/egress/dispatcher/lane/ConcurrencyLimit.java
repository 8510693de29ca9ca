package io.egress.dispatcher.lane;

import java.time.Duration;

/**
 * The concurrency limit of one endpoint, adjusted like a TCP congestion window. Fast deliveries
 * raise it by one each until the first loss, and by one per round after that; an attempt without a
 * response halves it, and an endpoint that does not respond at all starts again from one. An
 * endpoint that responds immediately raises it by one per round from the beginning: each step opens
 * a connection, which costs more than the few deliveries that wait. Deliveries that take much
 * longer than the endpoint's own best time do not raise it, and lower it to a few times its initial
 * value: moving a queue from here into connections would only add cost. It is not lowered further,
 * since this process may be the slow one: then all lanes are, and a lane with less than its share
 * would fall behind.
 *
 * <p>An attempt that started before the last decrease reflects the limit of that time only, so it
 * has no effect: sixty-four requests that time out together count as one event.
 */
final class ConcurrencyLimit {
  private static final int CROWDED_INITIALS = 4;

  private final int crowdedMin;
  private final int max;
  private final long slowNanos;
  private final Pace pace = new Pace();

  private int limit;
  private int steepBelow;
  private int deliveredThisRound;
  private boolean wasCut;
  private long cutNanos;

  ConcurrencyLimit(LaneSettings.Concurrency settings) {
    this.max = settings.max();
    this.crowdedMin = Math.min(max, CROWDED_INITIALS * settings.initial());
    this.slowNanos = settings.slowAfter().toNanos();
    this.limit = settings.initial();
    this.steepBelow = max;
  }

  int current() {
    return limit;
  }

  /**
   * A delivery raises the limit only if it is {@code inUse}; otherwise the limit has not been
   * tried.
   */
  void delivered(long startedNanos, long nowNanos, boolean inUse) {
    long took = nowNanos - startedNanos;
    pace.delivered(took);
    if (isOfAnEarlierLimit(startedNanos)) {
      return;
    }
    if (pace.isCrowded(took)) {
      lower();
    } else if (inUse && limit < max && took <= slowNanos && pace.isUndisturbed(took)) {
      raise();
    }
  }

  private void raise() {
    deliveredThisRound++;
    boolean steep = limit < steepBelow && !pace.isQuick();
    if (steep || deliveredThisRound >= limit) {
      limit++;
      deliveredThisRound = 0;
    }
  }

  private void lower() {
    if (limit > crowdedMin) {
      limit--;
      deliveredThisRound = 0;
    }
  }

  void unanswered(long startedNanos, long nowNanos, boolean noOtherAnswers) {
    if (isOfAnEarlierLimit(startedNanos)) {
      return;
    }
    int half = Math.max(1, limit / 2);
    steepBelow = half;
    limit = noOtherAnswers ? 1 : half;
    deliveredThisRound = 0;
    wasCut = true;
    cutNanos = nowNanos;
  }

  private boolean isOfAnEarlierLimit(long startedNanos) {
    return wasCut && startedNanos - cutNanos < 0;
  }

  /**
   * An endpoint's response time without queueing: the minimum of its deliveries, which is forgotten
   * slowly, because a queue that nobody drains must not become the measure of itself. A delivery
   * that takes much longer has waited somewhere, and more concurrency would only make it wait
   * longer.
   */
  private static final class Pace {
    private static final int WINDOW = 128;
    private static final double FORGETTING = 1.1;
    private static final long NEAR_NANOS = Duration.ofMillis(5).toNanos();
    private static final long FAR_NANOS = Duration.ofMillis(20).toNanos();
    private static final long QUICK_NANOS = Duration.ofMillis(5).toNanos();

    private long least = Long.MAX_VALUE;
    private long leastOfWindow = Long.MAX_VALUE;
    private int seen;

    void delivered(long nanos) {
      leastOfWindow = Math.min(leastOfWindow, nanos);
      least = Math.min(least, nanos);
      seen++;
      if (seen == WINDOW) {
        least = Math.min(leastOfWindow, (long) (least * FORGETTING));
        leastOfWindow = Long.MAX_VALUE;
        seen = 0;
      }
    }

    /**
     * Whether a connection carries so many deliveries per second that few connections are needed.
     */
    boolean isQuick() {
      return least <= QUICK_NANOS;
    }

    /** Whether more concurrency might keep this speed. */
    boolean isUndisturbed(long nanos) {
      return nanos <= 2 * least + NEAR_NANOS;
    }

    /** Whether there is more concurrency than useful. */
    boolean isCrowded(long nanos) {
      return nanos > 4 * least + FAR_NANOS;
    }
  }
}
