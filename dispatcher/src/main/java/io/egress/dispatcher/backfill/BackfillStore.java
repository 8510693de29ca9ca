package io.egress.dispatcher.backfill;

import io.egress.webhook.delivery.Delivery;
import io.egress.webhook.delivery.Delivery.Origin;
import io.egress.webhook.delivery.DeliveryId;
import io.vertx.core.Future;
import io.vertx.sqlclient.Pool;
import io.vertx.sqlclient.Row;
import io.vertx.sqlclient.RowSet;
import io.vertx.sqlclient.SqlClient;
import io.vertx.sqlclient.Tuple;
import java.time.Instant;
import java.util.ArrayList;
import java.util.Collection;
import java.util.HashSet;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.UUID;

/** Reads the backfills to publish, and stores their progress. */
public final class BackfillStore {
  /** A backfill that may be published. */
  record Open(UUID id, UUID endpointId) {}

  /**
   * The next deliveries of a backfill.
   *
   * @param nextPosition the first position of the next batch
   * @param last whether the backfill ends with this batch
   */
  record Batch(List<Delivery> deliveries, long nextPosition, boolean last) {
    Batch {
      deliveries = List.copyOf(deliveries);
    }
  }

  private static final String OPEN =
      """
      select b.id, b.endpoint_id
      from backfills b join endpoints e on e.id = b.endpoint_id
      where b.finished_at is null and not e.paused and e.deleted_at is null and b.id > $1
      order by b.id limit $2
      """;

  /**
   * Deliveries in a state, oldest position first. The repeated condition is that of the partial
   * index, which excludes delivered rows. All rows of the last position are read: any of them may
   * be the one that was owed.
   */
  private static final String UNDELIVERED =
      """
      select d.position, d.capture_id, d.replay_id from deliveries d
      where d.endpoint_id = b.endpoint_id and d.state = '%s' and d.state <> 'delivered'
        and d.position >= b.next_position and d.position <= b.last_position
        and d.replay_id is distinct from b.id and b.only_undelivered
      order by d.position fetch first ($2::integer) rows with ties\
      """;

  /**
   * The next positions; a row without a position if nothing is left, no row if nothing is to be
   * sent now. A replay of undelivered captures selects those that were owed, by the stream or by a
   * replay that was not canceled, and of which no delivery except the replay's own was delivered or
   * is pending. Where only deliveries of replays are read, the first one may have been delivered,
   * which the caller has to look up.
   */
  private static final String TAKE =
      """
      select b.last_position, b.endpoint_id, b.origin, b.created_at, s.position, s.capture_id, s.wanted, s.of_replay
      from backfills b
        join endpoints e on e.id = b.endpoint_id
        left join lateral (
          (select position, capture_id, true as wanted, false as of_replay from stream
            where workspace_id = e.workspace_id and not b.only_undelivered
              and position >= b.next_position and position <= b.last_position
            order by position limit $2::integer)
          union all
          (select u.position, u.capture_id,
              not exists (
                select from backfills c where c.id = u.replay_id and c.cancelled_at is not null)
              and not exists (
                select from deliveries r
                where r.endpoint_id = b.endpoint_id and r.position = u.position
                  and r.replay_id is not null and r.replay_id <> b.id
                  and r.state in ('delivered', 'pending'))
              and not exists (
                select from deliveries p
                where p.endpoint_id = b.endpoint_id and p.position = u.position
                  and p.state = 'pending' and p.state <> 'delivered' and p.replay_id is null) as wanted,
              u.replay_id is not null as of_replay
            from ((%s) union all (%s)) as u
            order by u.position fetch first ($2::integer) rows with ties)) s on true
      where b.id = $1 and b.finished_at is null and not e.paused and e.deleted_at is null
      order by s.position
      """
          .formatted(UNDELIVERED.formatted("exhausted"), UNDELIVERED.formatted("skipped"));

  private static final String DELIVERED =
      "select id from deliveries where id = any($1) and state = 'delivered'";

  private static final String ADVANCE =
      """
      update backfills set
        next_position = $2,
        published = published + $3,
        finished_at = case when $2 > last_position then now() end
      where id = $1 and finished_at is null
        and (next_position < $2 or last_position < $2)
      """;

  private static final String CANCELED =
      "select id from backfills where id = any($1) and cancelled_at is not null";

  private final Pool pool;

  BackfillStore(Pool pool) {
    this.pool = pool;
  }

  /** Sorted by id. */
  Future<List<Open>> open(UUID after, int max) {
    return pool.preparedQuery(OPEN)
        .execute(Tuple.of(after, max))
        .map(rows -> {
          List<Open> open = new ArrayList<>(rows.size());
          rows.forEach(row -> open.add(new Open(row.getUUID("id"), row.getUUID("endpoint_id"))));
          return open;
        });
  }

  /** Empty if it is finished, or its endpoint is paused or deleted. */
  Future<Optional<Batch>> take(UUID id, int max) {
    return pool.preparedQuery(TAKE)
        .execute(Tuple.of(id, max))
        .compose(rows ->
            rows.size() == 0
                ? Future.succeededFuture(Optional.empty())
                : deliveredAtFirst(rows)
                    .map(delivered -> Optional.of(batch(id, max, rows, delivered))));
  }

  /** Of the wanted captures that are known by deliveries of replays only. */
  private Future<Set<UUID>> deliveredAtFirst(RowSet<Row> rows) {
    List<UUID> firsts = new ArrayList<>();
    for (Row row : rows) {
      if (row.getLong("position") != null
          && row.getBoolean("wanted")
          && row.getBoolean("of_replay")) {
        firsts.add(firstId(row));
      }
    }
    return firsts.isEmpty() ? Future.succeededFuture(Set.of()) : ids(pool, DELIVERED, firsts);
  }

  /** Never decreases, even if two workers publish the same backfill. */
  Future<Void> advance(UUID id, long nextPosition, int published) {
    return pool.preparedQuery(ADVANCE).execute(Tuple.of(id, nextPosition, published)).mapEmpty();
  }

  /** Returns the canceled ones of the replays, read with {@code client}. */
  public static Future<Set<UUID>> canceled(SqlClient client, Collection<UUID> replayIds) {
    return ids(client, CANCELED, replayIds);
  }

  private static Future<Set<UUID>> ids(SqlClient client, String select, Collection<UUID> among) {
    return client
        .preparedQuery(select)
        .execute(Tuple.tuple().addArrayOfUUID(among.toArray(UUID[]::new)))
        .map(rows -> {
          Set<UUID> ids = new HashSet<>();
          rows.forEach(row -> ids.add(row.getUUID("id")));
          return ids;
        });
  }

  /** {@code delivered} has the first deliveries of captures that are not wanted therefore. */
  private static Batch batch(UUID id, int max, RowSet<Row> rows, Set<UUID> delivered) {
    List<Delivery> deliveries = new ArrayList<>(rows.size());
    long end = 0;
    long taken = 0;
    long added = 0;
    int found = 0;
    for (Row row : rows) {
      end = row.getLong("last_position");
      Long position = row.getLong("position");
      if (position != null) {
        taken = position;
        found++;
        // Several deliveries of one capture may have failed.
        if (row.getBoolean("wanted")
            && position != added
            && (delivered.isEmpty() || !delivered.contains(firstId(row)))) {
          deliveries.add(delivery(id, position, row));
          added = position;
        }
      }
    }
    boolean last = found < max || taken >= end;
    return new Batch(deliveries, last ? end + 1 : taken + 1, last);
  }

  private static UUID firstId(Row row) {
    return DeliveryId.of(row.getUUID("endpoint_id"), row.getUUID("capture_id"));
  }

  private static Delivery delivery(UUID id, long position, Row row) {
    UUID endpointId = row.getUUID("endpoint_id");
    UUID captureId = row.getUUID("capture_id");
    Origin origin = Origin.of(row.getString("origin"));
    Instant createdAt = row.getOffsetDateTime("created_at").toInstant();
    return origin == Origin.BACKFILL
        ? Delivery.first(
            DeliveryId.of(endpointId, captureId),
            endpointId,
            captureId,
            position,
            origin,
            createdAt)
        : Delivery.replayed(id, endpointId, captureId, position, origin, createdAt);
  }
}
