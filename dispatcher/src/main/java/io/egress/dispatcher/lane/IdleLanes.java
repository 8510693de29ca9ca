package io.egress.dispatcher.lane;

import java.util.LinkedHashMap;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/** Lanes with nothing to do, kept for a while for what they know about their endpoint. */
final class IdleLanes<R> {
  private final long rememberedNanos;
  private final int idleLanesMax;
  private final Map<Lane<R>, Long> idleSinceNanos = new LinkedHashMap<>();

  IdleLanes(LaneSettings settings) {
    this.rememberedNanos = settings.concurrency().rememberedFor().toNanos();
    this.idleLanesMax = settings.bounds().idleLanesMax();
  }

  void place(Lane<R> lane, long nowNanos) {
    idleSinceNanos.remove(lane);
    if (lane.isIdle()) {
      lane.trim();
      idleSinceNanos.put(lane, nowNanos);
    }
  }

  /** Removes and returns the next lane to forget. */
  @Nullable Lane<R> poll(long nowNanos) {
    if (idleSinceNanos.isEmpty()) {
      return null;
    }
    Map.Entry<Lane<R>, Long> longest = idleSinceNanos.entrySet().iterator().next();
    Lane<R> lane = longest.getKey();
    if (idleSinceNanos.size() <= idleLanesMax && nowNanos - longest.getValue() < rememberedNanos) {
      return null;
    }
    idleSinceNanos.remove(lane);
    return lane;
  }
}
