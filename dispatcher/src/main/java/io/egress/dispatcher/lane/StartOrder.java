package io.egress.dispatcher.lane;

import java.util.HashMap;
import java.util.LinkedHashSet;
import java.util.Map;
import java.util.Set;
import java.util.TreeSet;
import org.jspecify.annotations.Nullable;

/**
 * Decides which lane starts a record next: of the workspace with the fewest attempts in flight the
 * lane with the fewest, round robin among equals. Plain round robin would distribute slots by how
 * long endpoints hold them, and lanes alone by how many endpoints a workspace has.
 *
 * <p>Endpoints that stop responding must not accumulate slots before their attempts time out. So
 * once half of all slots are taken, a lane has to show progress after a few attempts to start more.
 * And a lane with n attempts in flight starts another only while more than n slots are free, so
 * that an endpoint with nothing in flight always finds one, however many lanes hold slots. Stuck
 * lanes wait in a separate queue, as they share a limited number of slots.
 */
final class StartOrder<R> {
  private enum Place {
    PROBES,
    UNPROVEN,
    IN_WORKSPACE
  }

  private final int slots;
  private final Set<Lane<R>> probes = new LinkedHashSet<>();
  private final Set<Lane<R>> unproven = new LinkedHashSet<>();
  private final TreeSet<WorkspaceLanes<R>> workspaces = new TreeSet<>(StartOrder::byFewestInFlight);
  private final Map<Lane<R>, Place> places = new HashMap<>();
  private long turns;

  StartOrder(LaneSettings settings) {
    this.slots = settings.bounds().inFlightMax();
  }

  /** No two have the same turn. */
  private static int byFewestInFlight(WorkspaceLanes<?> one, WorkspaceLanes<?> other) {
    int fewer = Integer.compare(one.placedAt(), other.placedAt());
    return fewer != 0 ? fewer : Long.compare(one.turn(), other.turn());
  }

  /** A lane whose place does not change keeps its turn. */
  void place(Lane<R> lane, long nowNanos) {
    WorkspaceLanes<R> workspace = lane.workspace();
    Place former = places.get(lane);
    Place now =
        lane.waiting() == 0 || !lane.mayStart(nowNanos)
            ? null
            : lane.isStuck()
                ? Place.PROBES
                : lane.isUnproven() ? Place.UNPROVEN : Place.IN_WORKSPACE;
    if (former != now && former != null) {
      places.remove(lane);
      leave(lane, former);
    }
    if (now != null) {
      places.put(lane, now);
      enter(lane, now);
    }
    place(workspace);
  }

  /** The lane is no longer one of its workspace. */
  void remove(Lane<R> lane) {
    Place former = places.remove(lane);
    if (former != null) {
      leave(lane, former);
    }
    place(lane.workspace());
  }

  @Nullable Lane<R> first(int slotsFree, boolean mayProbe) {
    if (slotsFree > 0 && mayProbe && !probes.isEmpty()) {
      return probes.iterator().next();
    }
    for (WorkspaceLanes<R> workspace : workspaces) {
      if (workspace.fewestInFlight() < slotsFree) {
        return workspace.first();
      }
    }
    return slotsFree * 2 > slots && !unproven.isEmpty() ? unproven.iterator().next() : null;
  }

  private void enter(Lane<R> lane, Place place) {
    switch (place) {
      case PROBES -> probes.add(lane);
      case UNPROVEN -> unproven.add(lane);
      case IN_WORKSPACE -> lane.workspace().enter(lane);
    }
  }

  private void leave(Lane<R> lane, Place place) {
    switch (place) {
      case PROBES -> probes.remove(lane);
      case UNPROVEN -> unproven.remove(lane);
      case IN_WORKSPACE -> lane.workspace().leave(lane);
    }
  }

  /** A workspace whose number of attempts has not changed keeps its turn. */
  private void place(WorkspaceLanes<R> workspace) {
    boolean isPlaced = workspace.isPlaced();
    if (isPlaced && workspace.mayStart() && workspace.placedAt() == workspace.inFlight()) {
      return;
    }
    if (isPlaced) {
      workspaces.remove(workspace);
      workspace.unplace();
    }
    if (workspace.mayStart()) {
      workspace.place(++turns);
      workspaces.add(workspace);
    }
  }
}
