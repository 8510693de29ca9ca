package io.egress.dispatcher.backfill;

import io.egress.delivery.Delivery;
import io.egress.dispatcher.backfill.History.State;
import java.util.HashMap;
import java.util.Iterator;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.UUID;
import org.jspecify.annotations.Nullable;

/** Round robin between histories, one batch at a time. */
final class Turns {
  private static final int CHECKS_PER_ALLOWANCE = 64;

  private final Allowance allowance;
  private final int settledPerCheck;
  private final Map<UUID, History> known = new HashMap<>();
  private final Set<History> ready = new LinkedHashSet<>();
  private final Set<History> waiting = new LinkedHashSet<>();
  private int settledSinceCheck;

  Turns(Allowance allowance, int aheadMax) {
    this.allowance = allowance;
    this.settledPerCheck = Math.max(1, aheadMax / CHECKS_PER_ALLOWANCE);
  }

  int readyCount() {
    return ready.size();
  }

  /** Adds a history, unless it is known. */
  void add(UUID endpointId, int partition) {
    History history =
        known.computeIfAbsent(endpointId, id -> new History(id, partition, allowance));
    if (history.state() == State.RESTING) {
      makeReady(history);
    }
  }

  /** The next one that has room, which is then reserved for it, or only a position to store. */
  @Nullable History next() {
    Iterator<History> queue = ready.iterator();
    while (queue.hasNext()) {
      History history = queue.next();
      queue.remove();
      int room = history.room();
      if (room > 0 || history.hasUnsavedPosition()) {
        history.become(State.IN_TURN);
        history.reserve(room);
        return history;
      }
      history.become(State.FULL);
      waiting.add(history);
    }
    return null;
  }

  void hasMore(History history) {
    if (!history.isForgotten()) {
      makeReady(history);
    }
  }

  void hasFailed(History history) {
    if (!history.isForgotten()) {
      history.become(State.FAILED);
      waiting.add(history);
    }
  }

  void hasNoMore(History history) {
    history.reserve(0);
    history.become(State.RESTING);
    dropIfEmpty(history);
  }

  /** Whether this may have made room for a history. */
  boolean settled(Delivery delivery) {
    History history = known.get(delivery.endpointId());
    if (history == null || !history.settle(delivery.id())) {
      return false;
    }
    dropIfEmpty(history);
    if (history.state() == State.FULL && history.room() > 0) {
      waiting.remove(history);
      makeReady(history);
    }
    settledSinceCheck++;
    if (settledSinceCheck >= settledPerCheck) {
      checkWaiting(false);
    }
    return !ready.isEmpty();
  }

  /** Failed histories may be tried again. */
  void periodPassed() {
    checkWaiting(true);
  }

  void keepOnly(Set<Integer> partitions) {
    for (History history : List.copyOf(known.values())) {
      if (!partitions.contains(history.partition())) {
        known.remove(history.endpointId());
        ready.remove(history);
        waiting.remove(history);
        history.forget();
      }
    }
  }

  private void checkWaiting(boolean failedToo) {
    settledSinceCheck = 0;
    for (History history : List.copyOf(waiting)) {
      boolean may = history.state() == State.FULL ? history.room() > 0 : failedToo;
      if (may) {
        waiting.remove(history);
        makeReady(history);
      }
    }
  }

  private void makeReady(History history) {
    history.become(State.READY);
    ready.add(history);
  }

  private void dropIfEmpty(History history) {
    if (history.state() == State.RESTING && history.ahead() == 0) {
      known.remove(history.endpointId(), history);
    }
  }
}
