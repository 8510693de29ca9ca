package io.egress.api.admin.deliveries;

import static java.util.Objects.requireNonNull;

import io.egress.platform.database.Rows;
import io.egress.webhook.delivery.Delivery;
import io.egress.webhook.delivery.EnteredCapture;
import io.egress.webhook.delivery.Owed;
import io.egress.webhook.deliverylog.LoggedDeliveries;
import io.egress.webhook.endpoint.Endpoint;
import io.vertx.sqlclient.Pool;
import io.vertx.sqlclient.Row;
import java.time.Instant;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.UUID;
import java.util.function.Function;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;

/**
 * The captures that were not attempted yet, of endpoints with filters: how many they want of a part
 * of the stream does not follow from its positions. All that the reconciler has compared was
 * attempted. Of the rest, the oldest positions are looked at and the newest, which are all unless
 * the workspace is busy.
 */
final class FilteredWaiting {
  /** Positions that are looked at on both sides: of each endpoint, and of all beyond the least. */
  private static final int SIDE_MAX = 1_000;

  private static final int SIDE_LEAST = 20;
  private static final int SIDES_IN_ALL = 20_000;

  private static final String UNCOMPARED =
      """
      with asked as materialized (
        select e.id, e.workspace_id, w.stream_head, greatest(r.position, e.created_position) as compared
        from endpoints e join workspaces w on w.id = e.workspace_id
          left join reconciliations r on r.endpoint_id = e.id
        where e.id = any($1))
      select a.id, a.stream_head - a.compared > 2 * $2::bigint as is_cut, %s
      from asked a cross join lateral (
        select * from stream where workspace_id = a.workspace_id
          and position > a.compared and position <= a.compared + $2::bigint
        union all
        select * from stream where workspace_id = a.workspace_id
          and position > greatest(a.compared + $2::bigint, a.stream_head - $2::bigint)) as s
      order by a.id, s.position
      """
          .formatted(EnteredCapture.COLUMNS);

  /**
   * What an endpoint waits for, the oldest first.
   *
   * @param hasMore whether there are positions that were not looked at
   */
  record Untried(List<Delivery> captures, boolean hasMore) {
    Untried {
      captures = List.copyOf(captures);
    }

    @Nullable Instant oldest() {
      return captures.isEmpty() ? null : captures.getFirst().owedAt();
    }
  }

  private final Pool pool;

  FilteredWaiting(Pool pool) {
    this.pool = pool;
  }

  /** Keyed by endpoint id; nothing of endpoints without a filter. */
  Map<UUID, Untried> of(List<Endpoint> endpoints) {
    Map<UUID, Owed> filtered =
        endpoints.stream()
            .map(Endpoint::owed)
            .filter(Owed::isFiltered)
            .collect(Collectors.toMap(Owed::endpointId, Function.identity()));
    if (filtered.isEmpty()) {
      return Map.of();
    }
    Map<UUID, List<Delivery>> untried = new HashMap<>();
    filtered.keySet().forEach(id -> untried.put(id, new ArrayList<>()));
    Map<UUID, Boolean> cut = new HashMap<>();
    LoggedDeliveries.missing(pool, owed(filtered, cut))
        .await()
        .forEach(each -> requireNonNull(untried.get(each.endpointId())).add(each));
    Map<UUID, Untried> found = new HashMap<>();
    untried.forEach((id, captures) ->
        found.put(id, new Untried(captures, !captures.isEmpty() && cut.getOrDefault(id, false))));
    return found;
  }

  private List<Delivery> owed(Map<UUID, Owed> filtered, Map<UUID, Boolean> cut) {
    List<Delivery> deliveries = new ArrayList<>();
    UUID[] ids = filtered.keySet().toArray(UUID[]::new);
    int side = Math.clamp(SIDES_IN_ALL / ids.length, SIDE_LEAST, SIDE_MAX);
    for (Row row : Rows.of(pool, UNCOMPARED, ids, side)) {
      Owed owed = requireNonNull(filtered.get(row.getUUID("id")));
      cut.put(owed.endpointId(), row.getBoolean("is_cut"));
      EnteredCapture capture = EnteredCapture.of(row);
      if (owed.admits(capture)) {
        deliveries.add(owed.first(capture));
      }
    }
    return deliveries;
  }
}
