package io.egress.endpoint;

import static java.util.Objects.requireNonNull;

import io.egress.stream.StreamLock;
import io.vertx.core.Future;
import io.vertx.core.buffer.Buffer;
import io.vertx.sqlclient.Pool;
import io.vertx.sqlclient.Row;
import io.vertx.sqlclient.RowIterator;
import io.vertx.sqlclient.RowSet;
import io.vertx.sqlclient.SqlClient;
import io.vertx.sqlclient.SqlConnection;
import io.vertx.sqlclient.Tuple;
import java.time.Duration;
import java.time.OffsetDateTime;
import java.util.ArrayList;
import java.util.Collection;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.UUID;
import java.util.function.Function;

/** The endpoints of workspaces. Nothing is cached: a change holds for the next reader. */
public final class EndpointStore {
  private static final String SHOWN =
      "id, url, description, full_history, paused, created_position, created_at,"
          + " case when previous_secret_until > now() then previous_secret_until end"
          + " as previous_secret_until";

  private static final String TARGET =
      "id, workspace_id, url, secret, paused, deleted_at is not null as deleted, created_position,"
          + " case when previous_secret_until > now() then previous_secret end as previous_secret";

  /** A backfill of nothing is finished from its beginning. */
  private static final String ADD =
      """
      with created as (
        insert into endpoints
          (id, workspace_id, url, description, secret, full_history, created_position)
        select $1, id, $3, $4, $5, $6, stream_head from workspaces where id = $2
        returning %1$s),
      history as (
        insert into backfills
          (id, endpoint_id, origin, first_position, next_position, last_position, created_at, finished_at)
        select id, id, 'backfill', 1, 1, created_position, created_at,
          case when created_position = 0 then created_at end
        from created where full_history)
      select %1$s from created
      """
          .formatted(SHOWN);

  private static final String LIST =
      "select "
          + SHOWN
          + " from endpoints where workspace_id = $1 and deleted_at is null order by created_at, id";

  private static final String SHOW =
      "select "
          + SHOWN
          + " from endpoints where workspace_id = $1 and id = $2 and deleted_at is null";

  private static final String LOCK = SHOW + " for no key update";

  private static final String CHANGE =
      """
      update endpoints set
        url = coalesce($3::text, url),
        description = case when $4::boolean then $5::text else description end,
        paused = coalesce($6::boolean, paused),
        updated_at = now()
      where workspace_id = $1 and id = $2 and deleted_at is null
      returning %s
      """
          .formatted(SHOWN);

  private static final String ROTATE =
      """
      update endpoints set
        secret = $3,
        previous_secret = case when $4::bigint > 0 then secret end,
        previous_secret_until = case when $4::bigint > 0 then now() + $4::bigint * interval '1 ms' end,
        updated_at = now()
      where workspace_id = $1 and id = $2 and deleted_at is null
        and (previous_secret_until is null or previous_secret_until <= now())
      returning %s
      """
          .formatted(SHOWN);

  private static final String END_OVERLAP =
      """
      update endpoints set previous_secret = null, previous_secret_until = null, updated_at = now()
      where workspace_id = $1 and id = $2 and deleted_at is null
      returning id
      """;

  /** Nothing of its history is owed to an endpoint that is gone. */
  private static final String DELETE =
      """
      with gone as (
        update endpoints set deleted_at = now(), updated_at = now()
        where workspace_id = $1 and id = $2 and deleted_at is null
        returning id),
      history as (
        update backfills set finished_at = now()
        where endpoint_id in (select id from gone) and finished_at is null)
      select id from gone
      """;

  private static final String FOR_WORKSPACES =
      "select "
          + TARGET
          + " from endpoints where workspace_id = any($1) and deleted_at is null order by id";

  private static final String BY_IDS = "select " + TARGET + " from endpoints where id = any($1)";

  private final Pool pool;

  public EndpointStore(Pool pool) {
    this.pool = requireNonNull(pool, "pool is null");
  }

  /**
   * {@code sealedSecret} must be sealed for {@code id}. The workspace must exist already: naming it
   * may wait for a capture being written, and the stream must not wait along for the lock.
   */
  public static Future<Endpoint> add(
      SqlConnection transaction,
      UUID workspaceId,
      UUID id,
      NewEndpoint endpoint,
      Buffer sealedSecret) {
    Tuple row =
        Tuple.of(
            id,
            workspaceId,
            endpoint.url(),
            endpoint.description(),
            sealedSecret,
            endpoint.fullHistory());
    return StreamLock.take(transaction)
        .compose(locked -> transaction.preparedQuery(ADD).execute(row))
        .map(rows -> shown(rows.iterator().next()));
  }

  /** Oldest first. */
  public Future<List<Endpoint>> list(UUID workspaceId) {
    return pool.preparedQuery(LIST)
        .execute(Tuple.of(workspaceId))
        .map(rows -> all(rows, EndpointStore::shown));
  }

  /** Empty where the workspace has no such endpoint, or no longer. */
  public Future<Optional<Endpoint>> show(UUID workspaceId, UUID id) {
    return pool.preparedQuery(SHOW).execute(Tuple.of(workspaceId, id)).map(EndpointStore::first);
  }

  /** As it stays until the transaction ends; empty where there is none, or no longer. */
  public static Future<Optional<Endpoint>> lock(
      SqlConnection transaction, UUID workspaceId, UUID id) {
    return transaction
        .preparedQuery(LOCK)
        .execute(Tuple.of(workspaceId, id))
        .map(EndpointStore::first);
  }

  /** Empty where the workspace has no such endpoint, or no longer. */
  public static Future<Optional<Endpoint>> change(
      SqlClient client, UUID workspaceId, UUID id, EndpointChange change) {
    return client
        .preparedQuery(CHANGE)
        .execute(
            Tuple.of(
                workspaceId,
                id,
                change.url(),
                change.setsDescription(),
                change.description(),
                change.paused()))
        .map(EndpointStore::first);
  }

  /**
   * {@code sealedSecret} signs from the next attempt on, and the one before beside it for {@code
   * overlap}. Empty where the workspace has no such endpoint, or its last overlap is not over.
   */
  public static Future<Optional<Endpoint>> rotate(
      SqlClient client, UUID workspaceId, UUID id, Buffer sealedSecret, Duration overlap) {
    return client
        .preparedQuery(ROTATE)
        .execute(Tuple.of(workspaceId, id, sealedSecret, overlap.toMillis()))
        .map(EndpointStore::first);
  }

  /** From the next attempt on, only the newest secret signs. Whether there is such an endpoint. */
  public static Future<Boolean> endOverlap(SqlClient client, UUID workspaceId, UUID id) {
    return client
        .preparedQuery(END_OVERLAP)
        .execute(Tuple.of(workspaceId, id))
        .map(rows -> rows.size() > 0);
  }

  /** Whether there was such an endpoint. Its row stays, for what is still owed to it. */
  public static Future<Boolean> delete(SqlClient client, UUID workspaceId, UUID id) {
    return client
        .preparedQuery(DELETE)
        .execute(Tuple.of(workspaceId, id))
        .map(rows -> rows.size() > 0);
  }

  /**
   * The endpoints not deleted of each workspace that has any, paused ones too. Which of them get a
   * capture is up to {@link EndpointTarget#isLiveAt}.
   */
  public Future<Map<UUID, List<EndpointTarget>>> forWorkspaces(Collection<UUID> workspaceIds) {
    return pool.preparedQuery(FOR_WORKSPACES)
        .execute(Tuple.tuple().addArrayOfUUID(workspaceIds.toArray(UUID[]::new)))
        .map(
            rows -> {
              Map<UUID, List<EndpointTarget>> targets = new HashMap<>();
              all(rows, EndpointStore::target)
                  .forEach(
                      target ->
                          targets
                              .computeIfAbsent(target.workspaceId(), id -> new ArrayList<>())
                              .add(target));
              return targets;
            });
  }

  /** Deleted ones too, by their ids; asked through {@code client}. */
  public static Future<Map<UUID, EndpointTarget>> byIds(SqlClient client, Collection<UUID> ids) {
    return client
        .preparedQuery(BY_IDS)
        .execute(Tuple.tuple().addArrayOfUUID(ids.toArray(UUID[]::new)))
        .map(
            rows -> {
              Map<UUID, EndpointTarget> targets = new HashMap<>();
              all(rows, EndpointStore::target).forEach(target -> targets.put(target.id(), target));
              return targets;
            });
  }

  private static <T> List<T> all(RowSet<Row> rows, Function<Row, T> reader) {
    List<T> all = new ArrayList<>(rows.size());
    rows.forEach(row -> all.add(reader.apply(row)));
    return all;
  }

  private static Optional<Endpoint> first(RowSet<Row> rows) {
    RowIterator<Row> row = rows.iterator();
    return row.hasNext() ? Optional.of(shown(row.next())) : Optional.empty();
  }

  private static Endpoint shown(Row row) {
    OffsetDateTime until = row.getOffsetDateTime("previous_secret_until");
    return new Endpoint(
        row.getUUID("id"),
        row.getString("url"),
        row.getString("description"),
        row.getBoolean("full_history"),
        row.getBoolean("paused"),
        row.getLong("created_position"),
        row.getOffsetDateTime("created_at").toInstant(),
        until == null ? null : until.toInstant());
  }

  private static EndpointTarget target(Row row) {
    Buffer secret = row.getBuffer("secret");
    Buffer previous = row.getBuffer("previous_secret");
    return new EndpointTarget(
        row.getUUID("id"),
        row.getUUID("workspace_id"),
        row.getString("url"),
        previous == null ? List.of(secret) : List.of(secret, previous),
        row.getBoolean("paused"),
        row.getBoolean("deleted"),
        row.getLong("created_position"));
  }
}
