package io.egress.dispatcher.lane;

import java.util.LinkedHashSet;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/** All waiting records in order of arrival, and whether there are too many. */
final class LaneBacklog<R> {
  private final LaneSettings.Bounds bounds;
  private final Set<Waiting<R>> records = new LinkedHashSet<>();
  private boolean full;

  LaneBacklog(LaneSettings.Bounds bounds) {
    this.bounds = bounds;
  }

  int size() {
    return records.size();
  }

  boolean hasRoom() {
    return records.size() < bounds.queuedMax();
  }

  /** Stays true until the backlog has shrunk well below the limit. */
  boolean isFull() {
    return full;
  }

  @Nullable Waiting<R> oldest() {
    return records.isEmpty() ? null : records.iterator().next();
  }

  void add(Waiting<R> record) {
    records.add(record);
    full = full || records.size() >= bounds.pauseAtQueued();
  }

  void remove(Waiting<R> record) {
    records.remove(record);
    full = full && records.size() > bounds.resumeAtQueued();
  }
}
