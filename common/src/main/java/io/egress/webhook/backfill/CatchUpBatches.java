package io.egress.webhook.backfill;

import static java.util.Objects.requireNonNull;

import io.egress.platform.database.Rows;
import io.egress.webhook.backfill.OpenBackfills.Batch;
import io.egress.webhook.delivery.Delivery;
import io.egress.webhook.delivery.Delivery.Origin;
import io.egress.webhook.delivery.DeliveryId;
import io.vertx.core.Future;
import io.vertx.sqlclient.Pool;
import io.vertx.sqlclient.Row;
import io.vertx.sqlclient.RowSet;
import java.time.Instant;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.UUID;
import org.jspecify.annotations.Nullable;

/**
 * Reads the next deliveries of catch-ups. The endpoints of a workspace fall behind together, so
 * those that are at the same place share the rows of the stream.
 */
final class CatchUpBatches {
  /**
   * A row for each catch-up, and then one for each row of the stream, which names those that do not
   * want it. A catch-up that has come to the head goes on as that grows.
   */
  private static final String TAKE =
      """
      with asked as materialized (
        select c.id, c.endpoint_id, e.workspace_id, c.next_position as place, a.max, e.filters,
          coalesce(c.last_position, w.stream_head) as last_position, c.last_position is null as is_open,
          (c.next_position + %1$d - 1) / %1$d * %1$d as block_end
        from unnest($1::uuid[], $2::integer[]) as a (id, max) join catch_ups c on c.id = a.id
          join endpoints e on e.id = c.endpoint_id join workspaces w on w.id = e.workspace_id
        where not c.is_done and e.deleted_at is null),
      shared as (
        select workspace_id, place, max(max) as max, least(max(last_position), max(block_end)) as last_position,
          array_agg(id) filter (where filters <> '[]') as filtered
        from asked group by workspace_id, place)
      select workspace_id, place, id, endpoint_id, max, last_position, is_open, block_end,
        null::bigint as position, null::uuid as capture_id, null::timestamptz as entered_at, null::uuid[] as unwanted
      from asked
      union all
      select s.workspace_id, s.place, null, null, null, null, null, null, t.position, t.capture_id, t.entered_at, t.unwanted
      from shared s cross join lateral (
        select position, capture_id, entered_at, case when s.filtered is not null then array(
          select a.id from asked a where a.id = any(s.filtered) and not admits(a.filters, t)) end as unwanted
        from stream t
        where workspace_id = s.workspace_id and position >= s.place and position <= s.last_position
        order by position limit s.max) t
      order by position nulls first
      """
          .formatted(CatchUps.BLOCK);

  private record Place(UUID workspaceId, long position) {
    private static Place of(Row row) {
      return new Place(row.getUUID("workspace_id"), row.getLong("place"));
    }
  }

  private record CatchUp(
      UUID id,
      UUID endpointId,
      Place place,
      int max,
      long blockEnd,
      long lastPosition,
      boolean isOpen) {
    private static CatchUp of(Row row) {
      return new CatchUp(
          row.getUUID("id"),
          row.getUUID("endpoint_id"),
          Place.of(row),
          row.getInteger("max"),
          row.getLong("block_end"),
          row.getLong("last_position"),
          row.getBoolean("is_open"));
    }

    private Batch batch(List<Entry> entries) {
      List<Delivery> deliveries = new ArrayList<>();
      long end = Math.min(lastPosition, blockEnd);
      long taken = place.position() - 1;
      int found = 0;
      for (Entry entry : entries) {
        if (found == max || entry.position() > end) {
          break;
        }
        found++;
        taken = entry.position();
        if (entry.isWantedBy(id)) {
          deliveries.add(entry.to(endpointId));
        }
      }
      long next = (found < max ? end : taken) + 1;
      boolean isAll = next > lastPosition;
      return new Batch(deliveries, next, isAll && !isOpen, isAll && isOpen);
    }
  }

  private record Entry(
      long position, UUID captureId, Instant enteredAt, @Nullable Set<UUID> unwanted) {
    private static Entry of(Row row) {
      UUID[] unwanted = row.getArrayOfUUIDs("unwanted");
      return new Entry(
          row.getLong("position"),
          row.getUUID("capture_id"),
          Rows.instant(row, "entered_at"),
          unwanted == null ? null : Set.of(unwanted));
    }

    private boolean isWantedBy(UUID catchUp) {
      return unwanted == null || !unwanted.contains(catchUp);
    }

    private Delivery to(UUID endpointId) {
      return Delivery.first(
          DeliveryId.of(endpointId, captureId),
          endpointId,
          captureId,
          position,
          Origin.LIVE,
          enteredAt);
    }
  }

  private CatchUpBatches() {}

  /** Of at most so many; without those that are done, or whose endpoint is deleted. */
  static Future<Map<UUID, Batch>> take(Pool pool, Map<UUID, Integer> most) {
    if (most.isEmpty()) {
      return Future.succeededFuture(Map.of());
    }
    return pool.preparedQuery(TAKE)
        .execute(OpenBackfills.parameters(most))
        .map(CatchUpBatches::batches);
  }

  private static Map<UUID, Batch> batches(RowSet<Row> rows) {
    List<CatchUp> catchUps = new ArrayList<>();
    Map<Place, List<Entry>> entries = new HashMap<>();
    for (Row row : rows) {
      if (row.getUUID("id") == null) {
        requireNonNull(entries.get(Place.of(row))).add(Entry.of(row));
      } else {
        CatchUp catchUp = CatchUp.of(row);
        catchUps.add(catchUp);
        entries.computeIfAbsent(catchUp.place(), _ -> new ArrayList<>());
      }
    }
    Map<UUID, Batch> batches = new HashMap<>();
    for (CatchUp catchUp : catchUps) {
      batches.put(catchUp.id(), catchUp.batch(requireNonNull(entries.get(catchUp.place()))));
    }
    return batches;
  }
}
