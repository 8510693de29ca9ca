package io.egress.dispatcher.backfill;

import io.egress.webhook.backfill.CatchUps;
import java.util.HashMap;
import java.util.Map;
import java.util.TreeMap;
import java.util.UUID;

/**
 * How far the catch-ups of each workspace are. Those that are near each other stay together, so
 * that they share what is read of the stream, and their deliveries the documents. One that is far
 * behind is not waited for.
 */
final class CatchUpPlaces {
  private static final long NEAR = 8L * CatchUps.BLOCK;

  /** How many are at each place. */
  private final Map<UUID, TreeMap<Long, Integer>> byWorkspace = new HashMap<>();

  void add(UUID workspaceId, long place) {
    byWorkspace.computeIfAbsent(workspaceId, _ -> new TreeMap<>()).merge(place, 1, Integer::sum);
  }

  void remove(UUID workspaceId, long place) {
    byWorkspace.computeIfPresent(
        workspaceId,
        (_, places) -> {
          places.computeIfPresent(place, (_, count) -> count == 1 ? null : count - 1);
          return places.isEmpty() ? null : places;
        });
  }

  /** Whether another one is behind this place, by more than a block, and near. */
  boolean isAhead(UUID workspaceId, long place) {
    TreeMap<Long, Integer> places = byWorkspace.get(workspaceId);
    Long nearest = places == null ? null : places.ceilingKey(place - NEAR);
    return nearest != null && nearest < place - CatchUps.BLOCK;
  }
}
