package io.egress.dispatcher.backfill;

import io.egress.delivery.Delivery;
import io.egress.dispatcher.backfill.EndpointHistory.State;
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
  private final Map<UUID, EndpointHistory> known = new HashMap<>();
  private final Set<EndpointHistory> ready = new LinkedHashSet<>();
  private final Set<EndpointHistory> waiting = new LinkedHashSet<>();
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
    EndpointHistory history =
        known.computeIfAbsent(endpointId, id -> new EndpointHistory(id, partition, allowance));
    if (history.state() == State.RESTING) {
      makeReady(history);
    }
  }

  /** The next one that has room, which is then reserved for it, or only a position to store. */
  @Nullable EndpointHistory next() {
    Iterator<EndpointHistory> queue = ready.iterator();
    while (queue.hasNext()) {
      EndpointHistory history = queue.next();
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

  void hasMore(EndpointHistory history) {
    if (!history.isForgotten()) {
      makeReady(history);
    }
  }

  void hasFailed(EndpointHistory history) {
    if (!history.isForgotten()) {
      history.become(State.FAILED);
      waiting.add(history);
    }
  }

  void hasNoMore(EndpointHistory history) {
    history.reserve(0);
    history.become(State.RESTING);
    dropIfEmpty(history);
  }

  /** Whether this may have made room for a history. */
  boolean settled(Delivery delivery) {
    EndpointHistory history = known.get(delivery.endpointId());
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
    for (EndpointHistory history : List.copyOf(known.values())) {
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
    for (EndpointHistory history : List.copyOf(waiting)) {
      boolean may = history.state() == State.FULL ? history.room() > 0 : failedToo;
      if (may) {
        waiting.remove(history);
        makeReady(history);
      }
    }
  }

  private void makeReady(EndpointHistory history) {
    history.become(State.READY);
    ready.add(history);
  }

  private void dropIfEmpty(EndpointHistory history) {
    if (history.state() == State.RESTING && history.ahead() == 0) {
      known.remove(history.endpointId(), history);
    }
  }
}
