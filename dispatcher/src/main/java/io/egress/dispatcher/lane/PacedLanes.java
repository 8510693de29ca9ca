package io.egress.dispatcher.lane;

import java.util.HashMap;
import java.util.Map;
import java.util.TreeSet;
import org.jspecify.annotations.Nullable;

/** Lanes that wait only for their rate limit, sorted by the time of their next start. */
final class PacedLanes<R> {
  private record Entry<R>(Lane<R> lane, long readyNanos) implements Comparable<Entry<R>> {
    /** A monotonic clock may wrap around. */
    @Override
    public int compareTo(Entry<R> other) {
      int earlier = Long.signum(readyNanos - other.readyNanos);
      return earlier != 0 ? earlier : lane.endpointId().compareTo(other.lane.endpointId());
    }
  }

  private final Map<Lane<R>, Entry<R>> entries = new HashMap<>();
  private final TreeSet<Entry<R>> byTime = new TreeSet<>();

  void place(Lane<R> lane, long nowNanos) {
    Entry<R> former = entries.isEmpty() ? null : entries.remove(lane);
    if (former != null) {
      byTime.remove(former);
    }
    Long readyNanos = lane.readyNanos(nowNanos);
    if (readyNanos != null) {
      Entry<R> entry = new Entry<>(lane, readyNanos);
      entries.put(lane, entry);
      byTime.add(entry);
    }
  }

  /** Removes and returns a lane that may start. */
  @Nullable Lane<R> firstReady(long nowNanos) {
    Long first = nextNanos();
    return first == null || nowNanos - first < 0 ? null : byTime.first().lane();
  }

  /** When the next lane may start; null if none is waiting. */
  @Nullable Long nextNanos() {
    return byTime.isEmpty() ? null : byTime.first().readyNanos();
  }
}
