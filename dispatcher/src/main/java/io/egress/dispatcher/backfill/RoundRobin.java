package io.egress.dispatcher.backfill;

import io.egress.webhook.backfill.OpenBackfills.Open;
import io.egress.webhook.delivery.Delivery;
import io.egress.webhook.delivery.Delivery.Origin;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.Iterator;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.UUID;
import org.jspecify.annotations.Nullable;

/** Round robin between backfills, one batch at a time. */
final class RoundRobin {
  private static final int CHECKS_PER_ALLOWANCE = 64;
  private static final int BATCH_MIN = 16;
  private static final int TOGETHER_MAX = 64;
  private static final int BATCHES = 4_096;

  private final Allowance allowance;
  private final int settledPerCheck;
  private final Map<UUID, UnfinishedBackfill> known = new HashMap<>();

  /** The known catch-ups, by endpoint. */
  private final Map<UUID, UnfinishedBackfill> catchUps = new HashMap<>();

  private final CatchUpPlaces places = new CatchUpPlaces();
  private final Set<UnfinishedBackfill> ready = new LinkedHashSet<>();
  private final Set<UnfinishedBackfill> waiting = new LinkedHashSet<>();
  private int settledSinceCheck;

  RoundRobin(Allowance allowance, int aheadMax) {
    this.allowance = allowance;
    this.settledPerCheck = Math.max(1, aheadMax / CHECKS_PER_ALLOWANCE);
  }

  int catchUps() {
    return catchUps.size();
  }

  int readyCount() {
    return ready.size();
  }

  /** Adds a backfill, unless it is known. */
  void add(Open open, int partition) {
    UnfinishedBackfill backfill =
        known.computeIfAbsent(
            open.id(), _ -> new UnfinishedBackfill(open, partition, allowance, places));
    if (open.isCatchUp()) {
      catchUps.put(open.endpointId(), backfill);
    }
    if (backfill.state() == UnfinishedBackfill.State.RESTING) {
      makeReady(backfill);
    }
  }

  /** The next backfills, for a turn together. */
  List<UnfinishedBackfill> nextTogether() {
    List<UnfinishedBackfill> together = new ArrayList<>();
    UnfinishedBackfill next = next();
    while (next != null) {
      together.add(next);
      boolean isMore = together.size() < TOGETHER_MAX && !next.isAlone() && !isNextAlone();
      next = isMore ? next() : null;
    }
    return together;
  }

  private boolean isNextAlone() {
    return !ready.isEmpty() && ready.iterator().next().isAlone();
  }

  /**
   * The next backfill with room, which is then reserved for it, or with only a position to store.
   */
  @Nullable UnfinishedBackfill next() {
    Iterator<UnfinishedBackfill> queue = ready.iterator();
    while (queue.hasNext()) {
      UnfinishedBackfill backfill = queue.next();
      queue.remove();
      int room = Math.min(backfill.room(), batchMax());
      if (room > 0 || backfill.hasUnsavedPosition()) {
        backfill.become(UnfinishedBackfill.State.IN_TURN);
        backfill.reserve(room);
        return backfill;
      }
      backfill.become(UnfinishedBackfill.State.FULL);
      waiting.add(backfill);
    }
    return null;
  }

  /**
   * All together, one batch each, they are about what a dispatcher reads at a time: if a few came
   * first with much, its lanes would be those of a few endpoints.
   */
  private int batchMax() {
    return Math.max(BATCH_MIN, BATCHES / known.size());
  }

  void hasMore(UnfinishedBackfill backfill) {
    if (!backfill.isForgotten()) {
      makeReady(backfill);
    }
  }

  void hasFailed(UnfinishedBackfill backfill) {
    backfill.alone(true);
    if (!backfill.isForgotten()) {
      backfill.become(UnfinishedBackfill.State.FAILED);
      waiting.add(backfill);
    }
  }

  void hasNoMore(UnfinishedBackfill backfill) {
    backfill.reserve(0);
    backfill.become(UnfinishedBackfill.State.RESTING);
    dropIfEmpty(backfill);
  }

  /** Returns whether this may have made room for a backfill. */
  boolean settled(Delivery delivery) {
    UnfinishedBackfill backfill =
        delivery.origin() == Origin.LIVE
            ? catchUps.get(delivery.endpointId())
            : known.get(UnfinishedBackfill.idOf(delivery));
    if (backfill == null || !backfill.settle(delivery.id())) {
      return false;
    }
    dropIfEmpty(backfill);
    if (backfill.state() == UnfinishedBackfill.State.FULL && backfill.room() > 0) {
      waiting.remove(backfill);
      makeReady(backfill);
    }
    settledSinceCheck++;
    if (settledSinceCheck >= settledPerCheck) {
      checkWaiting(false);
    }
    return !ready.isEmpty();
  }

  /** Failed backfills may be tried again. */
  void periodPassed() {
    checkWaiting(true);
  }

  void keepOnly(Set<Integer> partitions) {
    for (UnfinishedBackfill backfill : List.copyOf(known.values())) {
      if (!partitions.contains(backfill.partition())) {
        forget(backfill);
        ready.remove(backfill);
        waiting.remove(backfill);
        backfill.forget();
      }
    }
  }

  private void checkWaiting(boolean failedToo) {
    settledSinceCheck = 0;
    for (UnfinishedBackfill backfill : List.copyOf(waiting)) {
      boolean may =
          backfill.state() == UnfinishedBackfill.State.FULL ? backfill.room() > 0 : failedToo;
      if (may) {
        waiting.remove(backfill);
        makeReady(backfill);
      }
    }
  }

  private void makeReady(UnfinishedBackfill backfill) {
    backfill.become(UnfinishedBackfill.State.READY);
    ready.add(backfill);
  }

  private void dropIfEmpty(UnfinishedBackfill backfill) {
    if (backfill.state() == UnfinishedBackfill.State.RESTING && backfill.ahead() == 0) {
      forget(backfill);
    }
  }

  private void forget(UnfinishedBackfill backfill) {
    known.remove(backfill.id(), backfill);
    backfill.leavePlace();
    if (backfill.isCatchUp()) {
      catchUps.remove(backfill.endpointId(), backfill);
    }
  }
}
