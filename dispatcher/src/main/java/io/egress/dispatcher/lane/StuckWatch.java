package io.egress.dispatcher.lane;

import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/**
 * Finds lanes that are stuck: records wait, attempts are under way, and nothing has got on for a
 * while. It goes by time alone, since a deep queue is what every healthy endpoint has after an
 * outage; and not by slots, since lanes that stop answering can run out of the shared ones first.
 *
 * <p>Time that this process did not live through does not count: after a pause of its own the
 * answers still wait in the sockets. So the clock here advances by no more than a step between two
 * looks, and slower in a process that is short of processor time.
 */
final class StuckWatch<R> {
  private static final int STEPS_UNTIL_STUCK = 16;

  private final long stuckNanos;
  private final long stepNanos;
  private long livedNanos;
  private long updatedNanos;

  /**
   * Lanes with records waiting, each since the latest of: a record waits, the last progress, the
   * first attempt sent after it.
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

  /** The wait starts over; to be followed by {@link #place}. */
  void restart(Lane<R> lane) {
    quietSinceNanos.remove(lane);
    lane.restartQuiet();
  }

  /** The lanes that have become stuck, to be placed anew. */
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
