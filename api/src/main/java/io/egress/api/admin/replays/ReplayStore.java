package io.egress.api.admin.replays;

import io.egress.api.intake.ReplayBody;
import io.egress.platform.database.Rows;
import io.egress.webhook.delivery.Delivery.Origin;
import io.egress.webhook.deliverylog.DeliveryState;
import io.egress.webhook.deliverylog.LoggedDelivery;
import io.vertx.sqlclient.Pool;
import io.vertx.sqlclient.Row;
import io.vertx.sqlclient.SqlClient;
import java.util.Collection;
import java.util.EnumMap;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.UUID;
import org.jspecify.annotations.Nullable;

/** Stores the replays of endpoints. The dispatcher publishes them. */
final class ReplayStore {
  /** Limit per endpoint. */
  static final int UNFINISHED_MAX = 100;

  private static final String COLUMNS =
      "id, endpoint_id, origin, only_undelivered, first_position, next_position, last_position,"
          + " published, created_by, created_at, finished_at, cancelled_at";

  private static final String HAS_ROOM =
      "(select count(*) from backfills where endpoint_id = e.id and finished_at is null and origin <> 'erasure') < "
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

  private static final String OF_WORKSPACE =
      "endpoint_id in (select id from endpoints where workspace_id = $1 and deleted_at is null)";

  private static final String LIST =
      """
      select %s from backfills b
      where endpoint_id = $1 and origin <> 'erasure' and ($2::uuid is null or (created_at, id) < (
        select created_at, id from backfills where id = $2 and endpoint_id = $1))
      order by created_at desc, id desc limit $3
      """
          .formatted(COLUMNS);

  private static final String NEWEST =
      """
      select %s from endpoints e cross join lateral (
        select * from backfills where endpoint_id = e.id and origin not in ('redelivery', 'erasure')
        order by created_at desc, id desc limit 100) as b
      where e.workspace_id = $1 and e.deleted_at is null
      order by b.created_at desc, b.id desc limit $2
      """
          .formatted("b." + COLUMNS.replace(", ", ", b."));

  private static final String SHOW =
      "select " + COLUMNS + " from backfills where id = $2 and " + OF_WORKSPACE;

  /** The repeated condition is that of the partial index. */
  private static final String UNDELIVERED =
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

  private final Pool pool;

  ReplayStore(Pool pool) {
    this.pool = pool;
  }

  /**
   * Empty if the workspace has no such endpoint, or the endpoint has too many unfinished replays.
   */
  static Optional<Replay> add(
      SqlClient client,
      UUID workspaceId,
      UUID endpointId,
      ReplayBody body,
      @Nullable String createdBy) {
    return Rows.one(
        Rows.of(
            client,
            ADD,
            UUID.randomUUID(),
            workspaceId,
            endpointId,
            body.onlyUndelivered(),
            body.fromPosition(),
            body.from(),
            body.toPosition(),
            body.to(),
            createdBy),
        ReplayStore::replay);
  }

  /**
   * Repeats the notification if the delivery is one of an erasure. Empty if the endpoint was
   * deleted or has too many unfinished replays.
   */
  static Optional<Replay> addOne(
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
        ReplayStore::replay);
  }

  /** Newest first; only those after {@code after}, unless that is null. */
  List<Replay> list(UUID endpointId, @Nullable UUID after, int max) {
    return Rows.list(Rows.of(pool, LIST, endpointId, after, max), ReplayStore::replay);
  }

  /** Of all endpoints, without redeliveries, newest first; at most 100 of each endpoint. */
  List<Replay> newest(UUID workspaceId, int max) {
    return Rows.list(Rows.of(pool, NEWEST, workspaceId, max), ReplayStore::replay);
  }

  Optional<Replay> show(UUID workspaceId, UUID id) {
    return Rows.one(Rows.of(pool, SHOW, workspaceId, id), ReplayStore::replay);
  }

  /**
   * The number of each replay's deliveries in each state that the log has; without delivered ones,
   * and without replays that have no others.
   */
  Map<UUID, Map<DeliveryState, Long>> undelivered(Collection<UUID> ids) {
    Map<UUID, Map<DeliveryState, Long>> all = new HashMap<>();
    for (Row row : Rows.of(pool, UNDELIVERED, (Object) ids.toArray(UUID[]::new))) {
      Map<DeliveryState, Long> counts =
          all.computeIfAbsent(row.getUUID("replay_id"), _ -> new EnumMap<>(DeliveryState.class));
      DeliveryState.find(row.getString("state"))
          .ifPresent(state -> counts.put(state, row.getLong("count")));
    }
    return all;
  }

  /** Returns whether there was such a replay that could be canceled. */
  static boolean cancel(SqlClient client, UUID workspaceId, UUID id) {
    return Rows.of(client, CANCEL, workspaceId, id).rowCount() > 0;
  }

  private static Replay replay(Row row) {
    return new Replay(
        row.getUUID("id"),
        row.getUUID("endpoint_id"),
        Origin.of(row.getString("origin")),
        row.getBoolean("only_undelivered") ? "undelivered" : null,
        row.getLong("first_position"),
        row.getLong("last_position"),
        row.getLong("next_position"),
        row.getLong("published"),
        row.getString("created_by"),
        Rows.instant(row, "created_at"),
        Rows.optionalInstant(row, "finished_at"),
        Rows.optionalInstant(row, "cancelled_at"));
  }
}
