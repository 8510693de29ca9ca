package io.egress.dispatcher.lane;

import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/**
 * Detects stuck lanes: records are waiting, attempts are in flight, and nothing has made progress
 * for a while. The criterion is time alone. Queue length cannot be one, since every healthy
 * endpoint has a deep queue after an outage; nor can slots, since lanes that stop responding can
 * run out of the shared ones first.
 *
 * <p>Time during which this process was not running does not count: after a pause of its own,
 * responses are still waiting in the sockets. So the clock advances by at most one step between two
 * checks, and slower in a process that lacks processor time.
 */
final class StuckWatch<R> {
  private static final int STEPS_UNTIL_STUCK = 16;

  private final long stuckNanos;
  private final long stepNanos;
  private long livedNanos;
  private long updatedNanos;

  /**
   * Lanes with waiting records, each since the latest of: the first record waiting, the last
   * progress, the first attempt sent after it.
   */
  private final Map<Lane<R>, Long> quietSinceNanos = new LinkedHashMap<>();

  private final Set<Lane<R>> withSurplus = new LinkedHashSet<>();

  StuckWatch(LaneSettings.Parking settings) {
    this.stuckNanos = settings.stuckAfter().toNanos();
    this.stepNanos = stuckNanos / STEPS_UNTIL_STUCK;
  }

  void place(Lane<R> lane, long nowNanos) {
    if (lane.isStuck() || lane.waiting() == 0) {
      quietSinceNanos.remove(lane);
    } else {
      quietSinceNanos.putIfAbsent(lane, livedNanos(nowNanos));
    }
    if (lane.surplus() > 0) {
      withSurplus.add(lane);
    } else {
      withSurplus.remove(lane);
    }
  }

  /** Restarts the wait; to be followed by {@link #place}. */
  void restart(Lane<R> lane) {
    quietSinceNanos.remove(lane);
    lane.restartQuiet();
  }

  /** Removes and returns the lanes that have become stuck. */
  List<Lane<R>> update(long nowNanos) {
    livedNanos = livedNanos(nowNanos);
    updatedNanos = nowNanos;
    List<Lane<R>> stuck = new ArrayList<>();
    while (!quietSinceNanos.isEmpty()) {
      Map.Entry<Lane<R>, Long> quietest = quietSinceNanos.entrySet().iterator().next();
      if (livedNanos - quietest.getValue() < stuckNanos) {
        break;
      }
      Lane<R> lane = quietest.getKey();
      quietSinceNanos.remove(lane);
      if (lane.sentSinceProgress() == 0 || !lane.isQuietTooLong()) {
        quietSinceNanos.put(lane, livedNanos);
      } else {
        lane.becomeStuck(nowNanos);
        stuck.add(lane);
      }
    }
    return stuck;
  }

  @Nullable Lane<R> firstWithSurplus() {
    return withSurplus.isEmpty() ? null : withSurplus.iterator().next();
  }

  private long livedNanos(long nowNanos) {
    return livedNanos + Math.min(Math.max(nowNanos - updatedNanos, 0), stepNanos);
  }
}
