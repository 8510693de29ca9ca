package io.egress.webhook.backfill;

import io.egress.platform.database.Rows;
import io.egress.webhook.delivery.Delivery;
import io.egress.webhook.delivery.Delivery.Origin;
import io.egress.webhook.deliverylog.DeliveryState;
import io.egress.webhook.deliverylog.LoggedDelivery;
import io.vertx.sqlclient.Pool;
import io.vertx.sqlclient.Row;
import io.vertx.sqlclient.SqlClient;
import java.time.Duration;
import java.time.Instant;
import java.util.Collection;
import java.util.EnumMap;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.UUID;
import org.jspecify.annotations.Nullable;

/**
 * The table {@code backfills}, as the api adds, shows and cancels them. Dispatchers publish them
 * ({@link OpenBackfills}). Used on virtual threads.
 */
public final class Backfills {
  /** Limit per endpoint; updates and erasures do not count. */
  public static final int UNFINISHED_MAX = 100;

  /**
   * The part of a stream to send. Without a position or instant, it begins at the start of the
   * stream, or ends with its end.
   *
   * @param from captures that entered the stream at or after this instant
   * @param to captures that entered the stream before this instant
   * @param onlyUndelivered whether to include only captures whose newest delivery was exhausted or
   *     skipped
   */
  public record Range(
      @Nullable Long fromPosition,
      @Nullable Instant from,
      @Nullable Long toPosition,
      @Nullable Instant to,
      boolean onlyUndelivered) {}

  /**
   * A place in the list of an endpoint's backfills.
   *
   * @param createdAt when the backfill at this place was created; null for that of the one with the
   *     id, which must still be there
   */
  public record Place(@Nullable Instant createdAt, UUID id) {
    private static final Place FIRST =
        new Place(Instant.parse("9999-12-31T23:59:59Z"), new UUID(-1, -1));
  }

  private static final String COLUMNS =
      """
      id, endpoint_id, origin, only_undelivered, first_position, next_position, last_position, published,
        created_by, created_at, finished_at, cancelled_at,
        (select paused from endpoints where endpoints.id = endpoint_id) as endpoint_paused\
      """;

  private static final String OF_CALLS = "origin not in ('update', 'erasure')";

  private static final String HAS_ROOM =
      "(select count(*) from backfills where endpoint_id = e.id and finished_at is null and "
          + OF_CALLS
          + ") < "
          + UNFINISHED_MAX;

  /** A replay of an empty range is finished at once. */
  private static final String ADD =
      """
      insert into backfills (id, endpoint_id, origin, only_undelivered, first_position, next_position,
        last_position, created_by, finished_at)
      select $1, e.id, 'replay', $4, r.first, r.first, r.last, $9, case when r.first > r.last then now() end
      from endpoints e
        join workspaces w on w.id = e.workspace_id
        cross join lateral (
          select coalesce($5::bigint, stream_position_before(w.id, $6::timestamptz) + 1, 1) as first,
            least(w.stream_head, $7::bigint, stream_position_before(w.id, $8::timestamptz)) as last) r
      where e.workspace_id = $2 and e.id = $3 and e.deleted_at is null and %s
      returning %s
      """
          .formatted(HAS_ROOM, COLUMNS);

  private static final String ADD_ONE =
      """
      insert into backfills (id, endpoint_id, origin, first_position, next_position, last_position, created_by)
      select $1, e.id, $5, $3, $3, $3, $4
      from endpoints e where e.id = $2 and e.deleted_at is null and %s
      returning %s
      """
          .formatted(HAS_ROOM, COLUMNS);

  /** For each endpoint that is not paused, and of which a delivery was exhausted or skipped. */
  private static final String ADD_FOR_ALL =
      """
      insert into backfills (id, endpoint_id, origin, only_undelivered, first_position, next_position,
        last_position, created_by)
      select gen_random_uuid(), e.id, 'replay', true, r.first, r.first, r.last, $2
      from endpoints e join workspaces w on w.id = e.workspace_id
        cross join lateral (
          select coalesce(stream_position_before(w.id, $3::timestamptz) + 1, 1) as first,
            least(w.stream_head, stream_position_before(w.id, $4::timestamptz)) as last) r
      where e.workspace_id = $1 and e.deleted_at is null and not e.paused and r.first <= r.last and %s
        and (select true from deliveries d
          where d.endpoint_id = e.id and d.state in ('exhausted', 'skipped') and d.state <> 'delivered'
            and d.position between r.first and r.last limit 1)
      returning %s
      """
          .formatted(HAS_ROOM, COLUMNS);

  private static final String UNPUBLISHED_REDELIVERIES =
      """
      select b.id, b.endpoint_id, b.created_at, s.position, s.capture_id
      from endpoints e join backfills b on b.endpoint_id = e.id and b.finished_at is null and b.origin = 'redelivery'
        join stream s on s.workspace_id = e.workspace_id and s.position = b.first_position
      where e.workspace_id = $1 and e.deleted_at is null
      """;

  private static final String OF_WORKSPACE =
      "endpoint_id in (select id from endpoints where workspace_id = $1 and deleted_at is null)";

  private static final String LIST =
      """
      select %s from backfills b
      where endpoint_id = $1 and origin not in ('update', 'erasure')
        and (created_at, id) < (coalesce($2, (select created_at from backfills where id = $3 and endpoint_id = $1)), $3)
      order by created_at desc, id desc limit $4
      """
          .formatted(COLUMNS);

  private static final String NEWEST =
      """
      select %s from (
        select b.* from endpoints e cross join lateral (
          select * from backfills where endpoint_id = e.id and origin not in ('redelivery', 'update', 'erasure')
          order by created_at desc, id desc limit 100) as b
        where e.workspace_id = $1 and e.deleted_at is null
        order by b.created_at desc, b.id desc limit $2) as newest
      order by created_at desc, id desc
      """
          .formatted(COLUMNS);

  private static final String UNFINISHED =
      "select " + COLUMNS + " from backfills where id = $1 and finished_at is null";

  private static final String SHOW =
      "select " + COLUMNS + " from backfills where id = $2 and " + OF_WORKSPACE;

  /** The repeated condition is that of the partial index. */
  private static final String UNDELIVERED_STATES =
      """
      select replay_id, state, count(*) from deliveries
      where replay_id = any($1) and replay_id is not null and state <> 'delivered' group by 1, 2
      """;

  private static final String CANCEL =
      """
      update backfills set cancelled_at = now(), finished_at = coalesce(finished_at, now())
      where id = $2 and %s and cancelled_at is null and origin <> 'backfill'
      """
          .formatted(OF_WORKSPACE);

  private static final String INDEXED =
      "select has_index('backfills_open') and has_index('backfills_by_end') as are_indexed";

  /** Of a replay, it is kept what it was to send: attempts may have reached the receiver. */
  private static final String DELETE_FINISHED =
      """
      with ended as materialized (
        select id, endpoint_id, origin, first_position, last_position from backfills
        where finished_at < now() - $1::bigint * interval '1 ms' and finished_at is not null and origin <> 'backfill'
        order by finished_at limit $2 for update skip locked),
      replayed as (
        update endpoints e set replayed = few_parts(e.replayed + r.places)
        from (
          select endpoint_id, range_agg(int8range(first_position, last_position, '[]')) as places from ended
          where origin in ('replay', 'redelivery') and first_position <= last_position group by 1) r
        where e.id = r.endpoint_id and not e.replayed @> r.places)
      delete from backfills b using ended where b.id = ended.id
      """;

  private static final String FINISH_OF_DELETED =
      """
      with recursive backfilled as (
        select next_backfilled('00000000-0000-0000-0000-000000000000') as id
        union all
        select next_backfilled(id) from backfilled where id is not null),
      unnotified as (
        delete from erasure_backfills x using backfilled k, endpoints e
        where x.endpoint_id = k.id and e.id = k.id and e.deleted_at is not null),
      uncaught as (
        delete from catch_ups x using backfilled k, endpoints e
        where x.endpoint_id = k.id and e.id = k.id and e.deleted_at is not null)
      update backfills set finished_at = now() where id in (
        select b.id from backfilled k join endpoints e on e.id = k.id and e.deleted_at is not null
          cross join lateral (
            select id from backfills where endpoint_id = e.id and finished_at is null limit $1) b
        limit $1)
      """;

  private final Pool pool;

  public Backfills(Pool pool) {
    this.pool = pool;
  }

  /**
   * Empty if the workspace has no such endpoint, or the endpoint has too many unfinished backfills.
   */
  public static Optional<Backfill> add(
      SqlClient client,
      UUID workspaceId,
      UUID endpointId,
      Range range,
      @Nullable String createdBy) {
    return Rows.one(
        Rows.of(
            client,
            ADD,
            UUID.randomUUID(),
            workspaceId,
            endpointId,
            range.onlyUndelivered(),
            range.fromPosition(),
            range.from(),
            range.toPosition(),
            range.to(),
            createdBy),
        Backfill::of);
  }

  /**
   * Repeats the notification if the delivery is one of an erasure, and sends the capture as it is
   * now otherwise. Empty if the endpoint was deleted or has too many unfinished backfills.
   */
  public static Optional<Backfill> addOne(
      SqlClient client, LoggedDelivery delivery, @Nullable String createdBy) {
    Origin origin = delivery.origin() == Origin.ERASURE ? Origin.ERASURE : Origin.REDELIVERY;
    return Rows.one(
        Rows.of(
            client,
            ADD_ONE,
            UUID.randomUUID(),
            delivery.endpointId(),
            delivery.position(),
            createdBy,
            origin.word()),
        Backfill::of);
  }

  /**
   * Of what was not delivered, to every endpoint of the workspace that is not paused, has missed
   * something and has not too many unfinished backfills. {@code during} has no positions.
   */
  public static List<Backfill> addForAll(
      SqlClient client, UUID workspaceId, Range during, @Nullable String createdBy) {
    return Rows.list(
        Rows.of(client, ADD_FOR_ALL, workspaceId, createdBy, during.from(), during.to()),
        Backfill::of);
  }

  /** The deliveries of redeliveries that the dispatcher has yet to publish. */
  public static List<Delivery> unpublishedRedeliveries(SqlClient client, UUID workspaceId) {
    return Rows.list(
        Rows.of(client, UNPUBLISHED_REDELIVERIES, workspaceId),
        row ->
            Delivery.replayed(
                row.getUUID("id"),
                row.getUUID("endpoint_id"),
                row.getUUID("capture_id"),
                row.getLong("position"),
                Origin.REDELIVERY,
                Rows.instant(row, "created_at")));
  }

  /** Newest first; only those after {@code after}, unless that is null. */
  public List<Backfill> list(UUID endpointId, @Nullable Place after, int max) {
    Place place = after == null ? Place.FIRST : after;
    return Rows.list(
        Rows.of(pool, LIST, endpointId, place.createdAt(), place.id(), max), Backfill::of);
  }

  /** Of all endpoints, without redeliveries, newest first; at most 100 of each endpoint. */
  public List<Backfill> newest(UUID workspaceId, int max) {
    return Rows.list(Rows.of(pool, NEWEST, workspaceId, max), Backfill::of);
  }

  public Optional<Backfill> show(UUID workspaceId, UUID id) {
    return Rows.one(Rows.of(pool, SHOW, workspaceId, id), Backfill::of);
  }

  /** Empty if there is none with the id, or it is finished. */
  public Optional<Backfill> unfinished(UUID id) {
    return Rows.one(Rows.of(pool, UNFINISHED, id), Backfill::of);
  }

  /**
   * The number of each backfill's deliveries in each state that the log has; without delivered
   * ones, and without backfills that have no others.
   */
  public Map<UUID, Map<DeliveryState, Long>> undelivered(Collection<UUID> ids) {
    Map<UUID, Map<DeliveryState, Long>> all = new HashMap<>();
    for (Row row : Rows.of(pool, UNDELIVERED_STATES, (Object) ids.toArray(UUID[]::new))) {
      Map<DeliveryState, Long> counts =
          all.computeIfAbsent(row.getUUID("replay_id"), _ -> new EnumMap<>(DeliveryState.class));
      DeliveryState.find(row.getString("state"))
          .ifPresent(state -> counts.put(state, row.getLong("count")));
    }
    return all;
  }

  /** Returns whether there was such a backfill that could be canceled. */
  public static boolean cancel(SqlClient client, UUID workspaceId, UUID id) {
    return Rows.of(client, CANCEL, workspaceId, id).rowCount() > 0;
  }

  /** Whether {@link #deleteFinished} and {@link #finishOfDeletedEndpoints} read no whole table. */
  public static boolean areIndexed(SqlClient client) {
    return Rows.of(client, INDEXED).iterator().next().getBoolean("are_indexed");
  }

  /**
   * Deletes some of those that finished longer ago than {@code kept}, without full histories, and
   * returns their number.
   */
  public static int deleteFinished(SqlClient client, Duration kept, int max) {
    return Rows.of(client, DELETE_FINISHED, kept, max).rowCount();
  }

  /** A deleted endpoint is owed nothing. Returns the number. */
  public static int finishOfDeletedEndpoints(SqlClient client, int max) {
    return Rows.of(client, FINISH_OF_DELETED, max).rowCount();
  }
}
