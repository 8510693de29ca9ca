package io.egress.dispatcher.lane;

/**
 * How many attempts one endpoint gets at once, found as TCP finds its window: fast deliveries raise
 * it by one each until the first loss, after a loss by one per round; what gets no answer halves
 * it, and an endpoint that answers nothing at all starts again from one. An endpoint that answers
 * at once raises it by one per round from the beginning: each step opens a connection, which costs
 * more than the few deliveries that wait. Deliveries that take much longer than the endpoint's own
 * pace do not raise it, and lower it to a few times what it began with: a queue that is moved from
 * here into connections is a queue still, and costs more. No further, since it may be this process
 * that is slow: then all lanes are, and one that got less than its share would fall behind.
 *
 * <p>An attempt that started before the last cut is evidence about the limit of that time only, so
 * it neither cuts nor raises: sixty-four requests that time out together are one event.
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

  /** A delivery raises the limit only while it is {@code inUse}: else it has not been tried out. */
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
}
