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
 * Decides which lane starts a record next: the one with the fewest attempts in flight, round robin
 * among equals. Plain round robin would distribute slots by how long endpoints hold them.
 *
 * <p>Endpoints that stop responding must not accumulate slots before their attempts time out. So
 * once half of all slots are taken, a lane has to show progress after a few attempts to start more.
 * And a lane with n attempts in flight starts another only while more than n slots are free, so
 * that an endpoint with nothing in flight always finds one, however many lanes hold slots. Stuck
 * lanes wait in a separate queue, as they share a limited number of slots.
 */
final class StartOrder<R> {
  private static final int PROBE = -1;
  private static final int UNPROVEN = -2;

  private final int slots;
  private final Set<Lane<R>> probes = new LinkedHashSet<>();
  private final Set<Lane<R>> unproven = new LinkedHashSet<>();
  private final List<Set<Lane<R>>> byInFlight = new ArrayList<>();
  private final BitSet occupied = new BitSet();
  private final Map<Lane<R>, Integer> places = new HashMap<>();

  StartOrder(LaneSettings settings) {
    this.slots = settings.bounds().inFlightMax();
    for (int inFlight = 0; inFlight < settings.concurrency().max(); inFlight++) {
      byInFlight.add(new LinkedHashSet<>());
    }
  }

  /** A lane whose place does not change keeps its turn. */
  void place(Lane<R> lane, long nowNanos) {
    if (lane.waiting() == 0 || !lane.mayStart(nowNanos)) {
      leave(lane, places.remove(lane));
      return;
    }
    int place = lane.isStuck() ? PROBE : lane.isUnproven() ? UNPROVEN : lane.inFlight();
    Integer former = places.put(lane, place);
    if (former == null || former != place) {
      leave(lane, former);
      enter(lane, place);
    }
  }

  @Nullable Lane<R> first(int slotsFree, boolean mayProbe) {
    if (slotsFree > 0 && mayProbe && !probes.isEmpty()) {
      return probes.iterator().next();
    }
    int fewest = occupied.nextSetBit(0);
    if (fewest >= 0 && fewest < slotsFree) {
      return byInFlight.get(fewest).iterator().next();
    }
    return slotsFree * 2 > slots && !unproven.isEmpty() ? unproven.iterator().next() : null;
  }

  private void enter(Lane<R> lane, int place) {
    lanesAt(place).add(lane);
    if (place >= 0) {
      occupied.set(place);
    }
  }

  private void leave(Lane<R> lane, @Nullable Integer place) {
    if (place == null) {
      return;
    }
    lanesAt(place).remove(lane);
    if (place >= 0) {
      occupied.set(place, !lanesAt(place).isEmpty());
    }
  }

  private Set<Lane<R>> lanesAt(int place) {
    return switch (place) {
      case PROBE -> probes;
      case UNPROVEN -> unproven;
      default -> byInFlight.get(place);
    };
  }
}
