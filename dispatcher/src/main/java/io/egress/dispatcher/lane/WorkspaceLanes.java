package io.egress.dispatcher.lane;

import java.util.ArrayList;
import java.util.BitSet;
import java.util.HashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.UUID;

/**
 * The lanes of the endpoints of one workspace. A lane whose workspace is not known yet is one of
 * its own.
 */
final class WorkspaceLanes<R> {
  private static final int NOWHERE = -1;

  private final UUID id;
  private int lanes;
  private int waiting;
  private int inFlight;
  private int placedAt = NOWHERE;
  private long turn;

  /** Those that may start, by the number of their attempts in flight. */
  private final List<Set<Lane<R>>> byInFlight = new ArrayList<>(1);

  private final BitSet occupied = new BitSet();
  private final Map<Lane<R>, Integer> entered = new HashMap<>();

  WorkspaceLanes(UUID id) {
    this.id = id;
  }

  UUID id() {
    return id;
  }

  void add(Lane<R> lane) {
    lanes++;
    waiting += lane.waiting();
    inFlight += lane.inFlight();
  }

  void remove(Lane<R> lane) {
    lanes--;
    waiting -= lane.waiting();
    inFlight -= lane.inFlight();
  }

  boolean isEmpty() {
    return lanes == 0;
  }

  void waits(int more) {
    waiting += more;
  }

  void flies(int more) {
    inFlight += more;
  }

  int waiting() {
    return waiting;
  }

  int inFlight() {
    return inFlight;
  }

  /** A lane with as many attempts in flight as before keeps its turn. */
  void enter(Lane<R> lane) {
    Integer former = entered.put(lane, lane.inFlight());
    if (former == null || former != lane.inFlight()) {
      if (former != null) {
        leave(lane, former);
      }
      while (byInFlight.size() <= lane.inFlight()) {
        byInFlight.add(new LinkedHashSet<>(2));
      }
      byInFlight.get(lane.inFlight()).add(lane);
      occupied.set(lane.inFlight());
    }
  }

  void leave(Lane<R> lane) {
    Integer former = entered.remove(lane);
    if (former != null) {
      leave(lane, former);
    }
  }

  private void leave(Lane<R> lane, int level) {
    byInFlight.get(level).remove(lane);
    occupied.set(level, !byInFlight.get(level).isEmpty());
  }

  boolean mayStart() {
    return !entered.isEmpty();
  }

  int fewestInFlight() {
    return occupied.nextSetBit(0);
  }

  Lane<R> first() {
    return byInFlight.get(fewestInFlight()).iterator().next();
  }

  // Its place among the workspaces does not change while it is in their order

  boolean isPlaced() {
    return placedAt != NOWHERE;
  }

  int placedAt() {
    return placedAt;
  }

  long turn() {
    return turn;
  }

  void place(long itsTurn) {
    placedAt = inFlight;
    turn = itsTurn;
  }

  void unplace() {
    placedAt = NOWHERE;
  }
}
