package io.egress.dispatcher.lane;

import io.egress.dispatcher.lane.Lanes.Limits;
import java.time.Duration;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;

/**
 * Keeps a lane within its owner's limits, and limits its waiting records. More would fill the queue
 * shared by all lanes, so they are parked until the others have been sent.
 */
final class OwnerLimits {
  private static final int WAITING_SECONDS = 10;
  private static final int WAITING_MIN = 16;
  private static final int WAITING_PER_SLOT = 250;

  private final Limits limits;
  private final @Nullable StartPace pace;
  private final Throughput throughput;

  OwnerLimits(Limits limits, long nowNanos) {
    this.limits = limits;
    this.pace = limits.perSecond() == 0 ? null : new StartPace(limits.perSecond(), nowNanos);
    this.throughput = new Throughput(nowNanos);
  }

  Limits limits() {
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

  /** Starts per second, measured over the last second that had any. */
  private static final class Throughput {
    private static final long WINDOW_NANOS = TimeUnit.SECONDS.toNanos(1);

    private long windowNanos;
    private int inWindow;
    private double perSecond;

    Throughput(long nowNanos) {
      this.windowNanos = nowNanos;
    }

    void started(long nowNanos) {
      long elapsed = nowNanos - windowNanos;
      if (elapsed >= WINDOW_NANOS) {
        perSecond = (double) inWindow * WINDOW_NANOS / elapsed;
        inWindow = 0;
        windowNanos = nowNanos;
      }
      inWindow++;
    }

    double perSecond() {
      return perSecond;
    }
  }

  /**
   * Spaces the starts of a lane evenly. A lane that fell behind catches up by a few starts only, so
   * that no second has many more than its share.
   */
  private static final class StartPace {
    private static final long CATCH_UP_NANOS = Duration.ofMillis(50).toNanos();
    private static final int UNSENT_SHARE = 10;

    private final int perSecond;
    private final long intervalNanos;
    private long readyNanos;

    StartPace(int perSecond, long nowNanos) {
      this.perSecond = perSecond;
      this.intervalNanos = TimeUnit.SECONDS.toNanos(1) / perSecond;
      this.readyNanos = nowNanos;
    }

    int perSecond() {
      return perSecond;
    }

    /**
     * Limits attempts that were started and not sent, because they are sent together when the delay
     * is over.
     */
    int unsentMax() {
      return Math.max(1, perSecond / UNSENT_SHARE);
    }

    boolean isReady(long nowNanos) {
      return nowNanos - readyNanos >= 0;
    }

    long readyNanos() {
      return readyNanos;
    }

    void started(long nowNanos) {
      long behind = Math.min(nowNanos - readyNanos, CATCH_UP_NANOS);
      readyNanos = nowNanos - Math.max(behind, 0) + intervalNanos;
    }
  }
}
