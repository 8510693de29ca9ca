package io.egress.webhook.backfill;

import io.egress.platform.database.Rows;
import io.egress.webhook.delivery.Delivery;
import io.egress.webhook.delivery.Delivery.Origin;
import io.egress.webhook.delivery.DeliveryId;
import io.egress.webhook.deliverylog.Undelivered;
import io.vertx.core.Future;
import io.vertx.sqlclient.Pool;
import io.vertx.sqlclient.Row;
import io.vertx.sqlclient.RowSet;
import io.vertx.sqlclient.SqlClient;
import io.vertx.sqlclient.Tuple;
import java.time.Instant;
import java.util.ArrayList;
import java.util.Collection;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.UUID;
import org.jspecify.annotations.Nullable;

/**
 * The backfills that dispatchers publish, and how far they are: those of {@code backfills}, the
 * erasures of each endpoint in {@code erasure_backfills}, and what endpoints that are behind get in
 * {@code catch_ups}. Used on event loops.
 */
public final class OpenBackfills {
  /** A catch-up that has little left becomes live; as much as a batch may be left. */
  private static final int JOINED_WITH_MAX = 128;

  /**
   * A backfill that may be published.
   *
   * @param catchUpOf the workspace, of a catch-up
   */
  public record Open(UUID endpointId, UUID id, @Nullable UUID catchUpOf) {
    public static final Open BEFORE_ALL = new Open(new UUID(0, 0), new UUID(0, 0), null);

    public boolean isCatchUp() {
      return catchUpOf != null;
    }
  }

  /**
   * The next deliveries of a backfill.
   *
   * @param nextPosition the first position of the next batch
   * @param last whether the backfill ends with this batch
   * @param atHead whether a catch-up has come to the head of the stream, and goes on as that grows
   */
  public record Batch(List<Delivery> deliveries, long nextPosition, boolean last, boolean atHead) {
    public Batch {
      deliveries = List.copyOf(deliveries);
    }
  }

  private static final String OPEN =
      "select endpoint, backfill, catch_up_of from open_backfills($1, $2, $3)";

  /**
   * Deliveries in a state, oldest position first. The repeated condition is that of the partial
   * index, which excludes delivered rows. All rows of the last position are read: any of them may
   * be the one that was owed.
   */
  private static final String UNDELIVERED =
      """
      select d.position, d.capture_id, d.replay_id, d.origin, d.owed_at from deliveries d
      where d.endpoint_id = b.endpoint_id and d.state = '%s' and d.state <> 'delivered'
        and d.position >= b.next_position and d.position <= b.last_position
        and d.replay_id is distinct from b.id and b.only_undelivered
      order by d.position fetch first (asked.max) rows with ties\
      """;

  /** Changes are owed to whom their capture was owed, by the stream or by a replay. */
  private static final String CHANGES =
      """
      with taken as materialized (
        select c.number, s.position, c.capture_id, c.changed_at, c.erased = (b.origin = 'erasure') as fits,
          (e.full_history or e.created_position < s.position) and admits(e.filters, s) as owed
        from changes c join stream s on s.capture_id = c.capture_id
        where b.is_of_changes and c.workspace_id = e.workspace_id
          and c.number >= b.next_position and c.number <= b.last_position
        order by c.number limit asked.max)
      select number, position, capture_id, changed_at,
        fits and (owed or position <@ (
          select replayed_places(e.id, array_agg(position)) from taken where fits and not owed)) as wanted,
        false
      from taken\
      """;

  /**
   * The next positions; a row without a position if nothing is left, no row if nothing is to be
   * sent now. Replays and updates send no erased captures, and replays what the filter wants now.
   * Where only deliveries of replays are read, the first one may have been delivered, which the
   * caller has to look up. A place is a position, of changes their number.
   */
  private static final String TAKE =
      """
      select b.id, asked.max, b.last_position, b.endpoint_id, b.origin, b.is_of_changes, b.created_at, s.place, s.position,
        s.capture_id, s.owed_at, s.wanted, s.of_replay
      from unnest($1::uuid[], $2::integer[]) as asked (id, max)
        join unfinished_backfills b on b.id = asked.id
        join endpoints e on e.id = b.endpoint_id
        left join lateral (
          (select position as place, position, capture_id, entered_at as owed_at,
              case
                when b.origin = 'backfill' then e.filters = '[]' or admits(e.filters, t)
                when b.origin = 'replay' then wants(e.spec->'filter', t) and not exists (
                  select from erasures x where x.capture_id = t.capture_id)
                else true end as wanted,
              false as of_replay from stream t
            where workspace_id = e.workspace_id and not b.only_undelivered and not b.is_of_changes
              and position >= b.next_position and position <= b.last_position
            order by position limit asked.max)
          union all
          (select u.position, u.position, u.capture_id, null,
              %s as wanted,
              u.replay_id is not null and u.origin <> 'update' as of_replay
            from ((%s) union all (%s)) as u
            order by u.position fetch first (asked.max) rows with ties)
          union all
          (%s)) s on true
      where not e.paused and e.deleted_at is null
      order by b.id, s.place
      """
          .formatted(
              Undelivered.condition("u", "b.endpoint_id", "b.id"),
              UNDELIVERED.formatted("exhausted"),
              UNDELIVERED.formatted("skipped"),
              CHANGES);

  /** Catch-ups are locked in the order in which endpoints fall behind. */
  private static final String ADVANCE =
      """
      with reached as materialized (
        select * from unnest($1::uuid[], $2::bigint[], $3::integer[]) as r (id, place, published)),
      erasures_done as (
        update erasure_backfills x set next_number = r.place from reached r where x.id = r.id and x.next_number < r.place),
      caught_up as materialized (
        select c.endpoint_id, r.place from catch_ups c join reached r on r.id = c.id
        where c.next_position < r.place order by c.endpoint_id for no key update of c),
      catch_ups_done as (
        update catch_ups c set next_position = u.place, is_done = coalesce(u.place > c.last_position, false)
        from caught_up u where c.endpoint_id = u.endpoint_id)
      update backfills b set
        next_position = r.place,
        published = b.published + r.published,
        finished_at = case when r.place > b.last_position then now() end
      from reached r where b.id = r.id and b.finished_at is null
        and (b.next_position < r.place or b.last_position < r.place)
      """;

  private static final String JOIN_LIVE = "select join_live($1, $2)";

  private static final String CANCELED =
      "select id from backfills where id = any($1) and cancelled_at is not null";

  private final Pool pool;

  public OpenBackfills(Pool pool) {
    this.pool = pool;
  }

  /** Sorted by endpoint and id. */
  public Future<List<Open>> open(Open after, int max) {
    return pool.preparedQuery(OPEN)
        .execute(Tuple.of(after.endpointId(), after.id(), max))
        .map(rows ->
            Rows.list(
                rows,
                row ->
                    new Open(
                        row.getUUID("endpoint"),
                        row.getUUID("backfill"),
                        row.getUUID("catch_up_of"))));
  }

  /**
   * The next batch of each, of at most so many; those that are finished, or whose endpoint is
   * deleted, are left out, as are those that wait for a paused one. Keyed by id.
   */
  public Future<Map<UUID, Batch>> take(Map<Open, Integer> most) {
    Map<UUID, Integer> catchUps = new HashMap<>();
    Map<UUID, Integer> others = new HashMap<>();
    most.forEach((open, max) -> (open.isCatchUp() ? catchUps : others).put(open.id(), max));
    Future<Map<UUID, Batch>> taken = CatchUpBatches.take(pool, catchUps);
    return takeOthers(others)
        .compose(batches ->
            taken.map(more -> {
              Map<UUID, Batch> all = new HashMap<>(batches);
              all.putAll(more);
              return all;
            }));
  }

  private Future<Map<UUID, Batch>> takeOthers(Map<UUID, Integer> most) {
    if (most.isEmpty()) {
      return Future.succeededFuture(Map.of());
    }
    return pool.preparedQuery(TAKE)
        .execute(parameters(most))
        .compose(rows -> deliveredAtFirst(rows).map(delivered -> batches(rows, delivered)));
  }

  /** The ids, and the most of each. */
  static Tuple parameters(Map<UUID, Integer> most) {
    List<UUID> ids = List.copyOf(most.keySet());
    return Tuple.of(
        ids.toArray(UUID[]::new), (Object) ids.stream().map(most::get).toArray(Integer[]::new));
  }

  /** Of the wanted captures that are known by deliveries of replays only. */
  private Future<Set<UUID>> deliveredAtFirst(RowSet<Row> rows) {
    List<UUID> firsts = new ArrayList<>();
    for (Row row : rows) {
      if (row.getLong("place") != null && row.getBoolean("wanted") && row.getBoolean("of_replay")) {
        firsts.add(firstId(row));
      }
    }
    return Undelivered.delivered(pool, firsts);
  }

  /** How far a backfill is, and how many deliveries were published since that was last stored. */
  public record Reached(UUID id, long nextPosition, int published) {}

  /** Never decreases, even if two workers publish the same backfill. */
  public Future<Void> advance(List<Reached> reached) {
    return pool.preparedQuery(ADVANCE)
        .execute(
            Tuple.of(
                reached.stream().map(Reached::id).toArray(UUID[]::new),
                reached.stream().map(Reached::nextPosition).toArray(Long[]::new),
                (Object) reached.stream().map(Reached::published).toArray(Integer[]::new)))
        .mapEmpty();
  }

  /**
   * Ends a catch-up that has come to the head of its stream with it, unless that has grown much.
   */
  public Future<Void> joinLive(UUID id) {
    return pool.preparedQuery(JOIN_LIVE).execute(Tuple.of(id, (long) JOINED_WITH_MAX)).mapEmpty();
  }

  /** Returns the canceled ones of the replays, read with {@code client}. */
  public static Future<Set<UUID>> canceled(SqlClient client, Collection<UUID> replayIds) {
    return client
        .preparedQuery(CANCELED)
        .execute(Tuple.tuple().addArrayOfUUID(replayIds.toArray(UUID[]::new)))
        .map(rows -> new HashSet<>(Rows.list(rows, row -> row.getUUID("id"))));
  }

  /** {@code delivered} has the first deliveries of captures that are not wanted therefore. */
  private static Map<UUID, Batch> batches(RowSet<Row> rows, Set<UUID> delivered) {
    Map<UUID, List<Row>> byBackfill = new HashMap<>();
    for (Row row : rows) {
      byBackfill.computeIfAbsent(row.getUUID("id"), _ -> new ArrayList<>()).add(row);
    }
    Map<UUID, Batch> batches = new HashMap<>();
    byBackfill.forEach((id, its) -> batches.put(id, batch(id, its, delivered)));
    return batches;
  }

  private static Batch batch(UUID id, List<Row> rows, Set<UUID> delivered) {
    List<Delivery> deliveries = new ArrayList<>(rows.size());
    long end = 0;
    long taken = 0;
    long added = 0;
    int found = 0;
    for (Row row : rows) {
      end = row.getLong("last_position");
      Long place = row.getLong("place");
      if (place != null) {
        taken = place;
        found++;
        // Several deliveries of one capture may have failed.
        if (row.getBoolean("wanted")
            && place != added
            && !(row.getBoolean("of_replay") && delivered.contains(firstId(row)))) {
          deliveries.add(delivery(id, row));
          added = place;
        }
      }
    }
    boolean isAll = found < rows.getFirst().getInteger("max") || taken >= end;
    return new Batch(deliveries, isAll ? end + 1 : taken + 1, isAll, false);
  }

  private static UUID firstId(Row row) {
    return DeliveryId.of(row.getUUID("endpoint_id"), row.getUUID("capture_id"));
  }

  private static Delivery delivery(UUID id, Row row) {
    UUID endpointId = row.getUUID("endpoint_id");
    UUID captureId = row.getUUID("capture_id");
    long position = row.getLong("position");
    Origin origin = Origin.of(row.getString("origin"));
    Instant owedAt = Rows.instant(row, row.getBoolean("is_of_changes") ? "owed_at" : "created_at");
    return switch (origin) {
      case LIVE, BACKFILL ->
          Delivery.first(
              DeliveryId.of(endpointId, captureId),
              endpointId,
              captureId,
              position,
              origin,
              owedAt);
      case UPDATE ->
          Delivery.updated(id, endpointId, captureId, position, row.getLong("place"), owedAt);
      case REPLAY, REDELIVERY, ERASURE ->
          Delivery.replayed(id, endpointId, captureId, position, origin, owedAt);
      case PAGE, CHANGES_PAGE -> throw new IllegalStateException("a backfill of pages");
    };
  }
}
