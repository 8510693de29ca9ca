package io.egress.dispatcher.lane;

import java.util.ArrayList;
import java.util.BitSet;
import java.util.HashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/**
 * Which of the lanes that may start a record does so next: the one with the fewest attempts in
 * flight, in turns among equals. Plain turns would hand slots out by how long endpoints hold them.
 *
 * <p>A lane with n attempts in flight starts another only while more than n slots are free. So
 * lanes that hold on to slots, however many, can never take the last ones, and an endpoint with
 * nothing in flight finds one. Stuck lanes wait for a slot apart, as only some are spent on them.
 */
final class StartOrder<R> {
  private static final int PROBE = -1;

  private final Set<Lane<R>> probes = new LinkedHashSet<>();
  private final List<Set<Lane<R>>> byInFlight = new ArrayList<>();
  private final BitSet occupied = new BitSet();
  private final Map<Lane<R>, Integer> places = new HashMap<>();

  StartOrder(int concurrencyMax) {
    for (int inFlight = 0; inFlight < concurrencyMax; inFlight++) {
      byInFlight.add(new LinkedHashSet<>());
    }
  }

  /** A lane whose place does not change keeps its turn. */
  void place(Lane<R> lane) {
    if (lane.waiting() == 0 || !lane.hasFreeSlot()) {
      leave(lane, places.remove(lane));
      return;
    }
    int place = lane.isStuck() ? PROBE : lane.inFlight();
    Integer former = places.put(lane, place);
    if (former == null || former != place) {
      leave(lane, former);
      enter(lane, place);
    }
  }

  @Nullable Lane<R> first(int slotsFree, boolean mayProbe) {
    if (slotsFree == 0) {
      return null;
    }
    if (mayProbe && !probes.isEmpty()) {
      return probes.iterator().next();
    }
    int fewest = occupied.nextSetBit(0);
    return fewest >= 0 && fewest < slotsFree ? byInFlight.get(fewest).iterator().next() : null;
  }

  private void enter(Lane<R> lane, int place) {
    if (place == PROBE) {
      probes.add(lane);
    } else {
      byInFlight.get(place).add(lane);
      occupied.set(place);
    }
  }

  private void leave(Lane<R> lane, @Nullable Integer place) {
    if (place == null) {
      return;
    }
    if (place == PROBE) {
      probes.remove(lane);
    } else {
      byInFlight.get(place).remove(lane);
      occupied.set(place, !byInFlight.get(place).isEmpty());
    }
  }
}
