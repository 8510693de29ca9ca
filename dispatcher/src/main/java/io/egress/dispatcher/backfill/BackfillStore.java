package io.egress.dispatcher.backfill;

import static java.util.Objects.requireNonNull;

import io.egress.delivery.Delivery;
import io.egress.delivery.Delivery.Origin;
import io.egress.endpoint.DeliveryId;
import io.vertx.core.Future;
import io.vertx.sqlclient.Pool;
import io.vertx.sqlclient.Row;
import io.vertx.sqlclient.RowSet;
import io.vertx.sqlclient.Tuple;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.UUID;

/** Which histories are to be sent, and how far they are published. */
final class BackfillStore {
  /**
   * The next deliveries of a history.
   *
   * @param nextPosition the first position of the next batch
   * @param last whether the history ends with this batch
   */
  record Batch(List<Delivery> deliveries, long nextPosition, boolean last) {
    Batch {
      deliveries = List.copyOf(deliveries);
    }
  }

  private static final String OPEN =
      """
      select b.endpoint_id
      from backfills b join endpoints e on e.id = b.endpoint_id
      where b.finished_at is null and not e.paused and e.deleted_at is null and b.endpoint_id > $1
      order by b.endpoint_id limit $2
      """;

  /** A row without a position where nothing is left; no row where nothing is to be sent now. */
  private static final String TAKE =
      """
      select b.last_position, e.created_at, s.position, s.capture_id
      from backfills b
        join endpoints e on e.id = b.endpoint_id
        left join lateral (
          select position, capture_id from stream
          where workspace_id = e.workspace_id
            and position >= b.next_position and position <= b.last_position
          order by position limit $2) s on true
      where b.endpoint_id = $1 and b.finished_at is null and not e.paused and e.deleted_at is null
      order by s.position
      """;

  private static final String ADVANCE =
      """
      update backfills set
        next_position = $2,
        finished_at = case when $2 > last_position then now() end
      where endpoint_id = $1 and finished_at is null
        and (next_position < $2 or last_position < $2)
      """;

  private final Pool pool;

  BackfillStore(Pool pool) {
    this.pool = requireNonNull(pool, "pool is null");
  }

  /** Endpoints whose history may be sent, in order of their ids. */
  Future<List<UUID>> open(UUID after, int max) {
    return pool.preparedQuery(OPEN)
        .execute(Tuple.of(after, max))
        .map(
            rows -> {
              List<UUID> endpoints = new ArrayList<>(rows.size());
              rows.forEach(row -> endpoints.add(row.getUUID("endpoint_id")));
              return endpoints;
            });
  }

  /** Empty for an endpoint that is paused, deleted or has its whole history. */
  Future<Optional<Batch>> take(UUID endpointId, int max) {
    return pool.preparedQuery(TAKE)
        .execute(Tuple.of(endpointId, max))
        .map(rows -> rows.size() == 0 ? Optional.empty() : Optional.of(batch(endpointId, rows)));
  }

  /** Never decreases, even if two workers publish the same history. */
  Future<Void> advance(UUID endpointId, long nextPosition) {
    return pool.preparedQuery(ADVANCE).execute(Tuple.of(endpointId, nextPosition)).mapEmpty();
  }

  /** Positions have no gaps, and no position up to last_position is missing. */
  private static Batch batch(UUID endpointId, RowSet<Row> rows) {
    List<Delivery> deliveries = new ArrayList<>(rows.size());
    long end = 0;
    long taken = 0;
    for (Row row : rows) {
      end = row.getLong("last_position");
      Long position = row.getLong("position");
      if (position != null) {
        taken = position;
        deliveries.add(delivery(endpointId, position, row));
      }
    }
    boolean last = deliveries.isEmpty() || taken >= end;
    return new Batch(deliveries, last ? end + 1 : taken + 1, last);
  }

  private static Delivery delivery(UUID endpointId, long position, Row row) {
    UUID captureId = row.getUUID("capture_id");
    return Delivery.first(
        DeliveryId.of(endpointId, captureId),
        endpointId,
        captureId,
        position,
        Origin.BACKFILL,
        row.getOffsetDateTime("created_at").toInstant());
  }
}
