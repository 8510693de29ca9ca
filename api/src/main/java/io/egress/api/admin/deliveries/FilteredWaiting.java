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
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.UUID;
import java.util.function.Function;
import java.util.stream.Collectors;

/**
 * The captures that were not attempted yet, of endpoints with filters: how many they want of a part
 * of the stream does not follow from its positions. All that the reconciler has compared was
 * attempted, so the oldest one is found; further back than {@link DeliverySearch#LOOKED_UP_MAX}
 * positions, there may be more.
 */
final class FilteredWaiting {
  private static final String UNCOMPARED =
      """
      select e.id, %s
      from endpoints e left join reconciliations r on r.endpoint_id = e.id
        cross join lateral (
          select * from stream
          where workspace_id = $1 and position > greatest(r.position, e.created_position, $3)
          order by position limit %d) as s
      where e.id = any($2)
      order by e.id, s.position
      """
          .formatted(EnteredCapture.COLUMNS, DeliverySearch.LOOKED_UP_MAX);

  private final Pool pool;

  FilteredWaiting(Pool pool) {
    this.pool = pool;
  }

  /**
   * The positions above {@code above} in their order, keyed by endpoint; nothing of endpoints
   * without a filter. {@code endpoints} belong to the workspace.
   */
  Map<UUID, List<Long>> above(UUID workspaceId, List<Endpoint> endpoints, long above) {
    Map<UUID, Owed> filtered =
        endpoints.stream()
            .map(Endpoint::owed)
            .filter(Owed::isFiltered)
            .collect(Collectors.toMap(Owed::endpointId, Function.identity()));
    if (filtered.isEmpty()) {
      return Map.of();
    }
    Map<UUID, List<Long>> waiting = new HashMap<>();
    filtered.keySet().forEach(id -> waiting.put(id, new ArrayList<>()));
    for (Delivery missing :
        LoggedDeliveries.missing(pool, owed(workspaceId, filtered, above)).await()) {
      requireNonNull(waiting.get(missing.endpointId())).add(missing.position());
    }
    return waiting;
  }

  private List<Delivery> owed(UUID workspaceId, Map<UUID, Owed> filtered, long above) {
    List<Delivery> deliveries = new ArrayList<>();
    UUID[] ids = filtered.keySet().toArray(UUID[]::new);
    for (Row row : Rows.of(pool, UNCOMPARED, workspaceId, ids, above)) {
      Owed owed = requireNonNull(filtered.get(row.getUUID("id")));
      EnteredCapture capture = EnteredCapture.of(row);
      if (owed.admits(capture)) {
        deliveries.add(owed.first(capture));
      }
    }
    return deliveries;
  }
}
