package io.egress.webhook.endpoint;

import io.egress.webhook.endpoint.CustomHeaders.SealedHeaders;
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
import java.time.Instant;
import java.time.OffsetDateTime;
import java.time.ZoneOffset;
import java.util.ArrayList;
import java.util.Collection;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.UUID;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;

/** Stores the endpoints of workspaces. Nothing is cached: a change applies to the next read. */
public final class EndpointStore {
  private static final String SHOWN =
      "id, url, description, full_history, header_names, max_per_second, max_in_flight,"
          + " client_certificate_subject, client_certificate_expires_at,"
          + " standard_webhooks, erasures, paused, paused_at, paused_reason, created_position, created_at,"
          + " case when previous_secret_until > now() then previous_secret_until end"
          + " as previous_secret_until";

  private static final String TARGET =
      "id, workspace_id, url, secret, headers, client_certificate, max_per_second, max_in_flight,"
          + " standard_webhooks, paused, deleted_at is not null as deleted, created_position, failing_since,"
          + " case when previous_secret_until > now() then previous_secret end as previous_secret";

  /** A backfill of an empty range is finished at once. */
  private static final String ADD =
      """
      with created as (
        insert into endpoints
          (id, workspace_id, url, description, secret, full_history, headers, header_names,
            max_per_second, max_in_flight, standard_webhooks, client_certificate, client_certificate_subject,
            client_certificate_expires_at, erasures, created_position)
        select $1, id, $3, $4, $5, $6, $7, $8, $9, $10, $11, $12, $13, $14, $15, stream_head from workspaces where id = $2
        for no key update
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

  private static final String HEADERS = "select headers from endpoints where id = $1";

  /** Resuming an endpoint, or changing its URL, resets its failure state. */
  private static final String CHANGE =
      """
      update endpoints set
        url = coalesce($3::text, url),
        description = case when $4::boolean then $5::text else description end,
        paused = coalesce($6::boolean, paused),
        paused_at = case when coalesce($6::boolean, paused) then coalesce(paused_at, now()) end,
        paused_reason = case when coalesce($6::boolean, paused) then coalesce(paused_reason, 'requested') end,
        failing_since = case when not $6::boolean or $3::text <> url then null else failing_since end,
        headers = case when $7::boolean then $8::bytea else headers end,
        header_names = case when $7::boolean then $9::text[] else header_names end,
        max_per_second = case when $10::boolean then $11::integer else max_per_second end,
        max_in_flight = case when $12::boolean then $13::integer else max_in_flight end,
        standard_webhooks = coalesce($14::boolean, standard_webhooks),
        client_certificate = case when $15::boolean then $16::bytea else client_certificate end,
        client_certificate_subject = case when $15::boolean then $17::text else client_certificate_subject end,
        client_certificate_expires_at =
          case when $15::boolean then $18::timestamptz else client_certificate_expires_at end,
        erasures = coalesce($19::boolean, erasures),
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
        and ($4::bigint = 0 or previous_secret_until is null or previous_secret_until <= now())
      returning %s
      """
          .formatted(SHOWN);

  private static final String END_OVERLAP =
      """
      update endpoints set previous_secret = null, previous_secret_until = null, updated_at = now()
      where workspace_id = $1 and id = $2 and deleted_at is null
      returning id
      """;

  /** A deleted endpoint is owed nothing of its history. */
  private static final String DELETE =
      """
      with gone as (
        update endpoints set deleted_at = now(), updated_at = now()
        where workspace_id = $1 and id = coalesce($2, id) and deleted_at is null
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

  private static final String FIRST_TO_EXPIRE =
      "select id, workspace_id, client_certificate_expires_at from endpoints"
          + " where deleted_at is null and client_certificate_expires_at is not null"
          + " order by client_certificate_expires_at limit 1";

  /** An endpoint with a client certificate of its own. */
  public record Certified(UUID workspaceId, UUID id, Instant expiresAt) {}

  private final Pool pool;

  public EndpointStore(Pool pool) {
    this.pool = pool;
  }

  /**
   * {@code sealedSecret}, {@code headers} and {@code certificate} must be sealed for {@code id}.
   * Until the transaction ends, no capture enters the stream of the workspace, which must exist.
   */
  public static Future<Endpoint> add(
      SqlConnection transaction,
      UUID workspaceId,
      UUID id,
      NewEndpoint endpoint,
      Buffer sealedSecret,
      SealedHeaders headers,
      @Nullable Buffer certificate) {
    Tuple row =
        Tuple.of(
            id,
            workspaceId,
            endpoint.url(),
            endpoint.description(),
            sealedSecret,
            endpoint.fullHistory(),
            headers.sealed(),
            headers.names().toArray(String[]::new),
            endpoint.limits().maxPerSecond(),
            endpoint.limits().maxInFlight(),
            endpoint.standardWebhooks(),
            certificate,
            subject(endpoint.clientCertificate()),
            expiresAt(endpoint.clientCertificate()),
            endpoint.erasures());
    return transaction.preparedQuery(ADD).execute(row).map(rows -> shown(rows.iterator().next()));
  }

  /** Oldest first. */
  public Future<List<Endpoint>> list(UUID workspaceId) {
    return pool.preparedQuery(LIST)
        .execute(Tuple.of(workspaceId))
        .map(rows -> all(rows, EndpointStore::shown));
  }

  /** Empty if the workspace has no such endpoint, or it was deleted. */
  public Future<Optional<Endpoint>> show(UUID workspaceId, UUID id) {
    return pool.preparedQuery(SHOW).execute(Tuple.of(workspaceId, id)).map(EndpointStore::first);
  }

  /** Locks the endpoint until the transaction ends; empty if there is none, or it was deleted. */
  public static Future<Optional<Endpoint>> lock(
      SqlConnection transaction, UUID workspaceId, UUID id) {
    return transaction
        .preparedQuery(LOCK)
        .execute(Tuple.of(workspaceId, id))
        .map(EndpointStore::first);
  }

  /** Still sealed; null if there are none. */
  public static Future<@Nullable Buffer> sealedHeaders(SqlConnection transaction, UUID id) {
    return transaction
        .preparedQuery(HEADERS)
        .execute(Tuple.of(id))
        .map(rows -> rows.iterator().next().getBuffer("headers"));
  }

  /**
   * {@code headers} are the changed headers, null if unchanged; {@code certificate} is the sealed
   * form of the changed one. Empty if the workspace has no such endpoint, or it was deleted.
   */
  public static Future<Optional<Endpoint>> change(
      SqlClient client,
      UUID workspaceId,
      UUID id,
      EndpointChange change,
      @Nullable SealedHeaders headers,
      @Nullable Buffer certificate) {
    return client
        .preparedQuery(CHANGE)
        .execute(
            Tuple.of(
                workspaceId,
                id,
                change.url(),
                change.setsDescription(),
                change.description(),
                change.paused(),
                headers != null,
                headers == null ? null : headers.sealed(),
                headers == null ? null : headers.names().toArray(String[]::new),
                change.setsMaxPerSecond(),
                change.limits().maxPerSecond(),
                change.setsMaxInFlight(),
                change.limits().maxInFlight(),
                change.standardWebhooks(),
                change.setsClientCertificate(),
                certificate,
                subject(change.clientCertificate()),
                expiresAt(change.clientCertificate()),
                change.erasures()))
        .map(EndpointStore::first);
  }

  /**
   * {@code sealedSecret} signs from the next attempt on, and the previous one beside it for {@code
   * overlap}. Empty if the workspace has no such endpoint, or a previous overlap has not ended and
   * another one is requested.
   */
  public static Future<Optional<Endpoint>> rotate(
      SqlClient client, UUID workspaceId, UUID id, Buffer sealedSecret, Duration overlap) {
    return client
        .preparedQuery(ROTATE)
        .execute(Tuple.of(workspaceId, id, sealedSecret, overlap.toMillis()))
        .map(EndpointStore::first);
  }

  /**
   * From the next attempt on, only the newest secret signs. Returns whether there is such an
   * endpoint.
   */
  public static Future<Boolean> endOverlap(SqlClient client, UUID workspaceId, UUID id) {
    return client
        .preparedQuery(END_OVERLAP)
        .execute(Tuple.of(workspaceId, id))
        .map(rows -> rows.size() > 0);
  }

  /**
   * Returns whether there was such an endpoint. Its row is kept, because queued deliveries refer to
   * it.
   */
  public static Future<Boolean> delete(SqlClient client, UUID workspaceId, UUID id) {
    return client
        .preparedQuery(DELETE)
        .execute(Tuple.of(workspaceId, id))
        .map(rows -> rows.size() > 0);
  }

  /** Returns the number of endpoints that the workspace had. */
  public static Future<Integer> deleteAll(SqlClient client, UUID workspaceId) {
    return client
        .preparedQuery(DELETE)
        .execute(Tuple.tuple().addUUID(workspaceId).addUUID(null))
        .map(RowSet::size);
  }

  /**
   * The endpoints that are not deleted, by workspace, including paused ones. {@link
   * EndpointTarget#isLiveAt} decides which of them get a capture.
   */
  public Future<Map<UUID, List<EndpointTarget>>> forWorkspaces(Collection<UUID> workspaceIds) {
    return pool.preparedQuery(FOR_WORKSPACES)
        .execute(Tuple.tuple().addArrayOfUUID(workspaceIds.toArray(UUID[]::new)))
        .map(rows -> {
          Map<UUID, List<EndpointTarget>> targets = new HashMap<>();
          all(rows, EndpointStore::target)
              .forEach(target ->
                  targets
                      .computeIfAbsent(target.workspaceId(), _ -> new ArrayList<>())
                      .add(target));
          return targets;
        });
  }

  /** Includes deleted ones, keyed by id; read with {@code client}. */
  public static Future<Map<UUID, EndpointTarget>> byIds(SqlClient client, Collection<UUID> ids) {
    return client
        .preparedQuery(BY_IDS)
        .execute(Tuple.tuple().addArrayOfUUID(ids.toArray(UUID[]::new)))
        .map(rows -> {
          Map<UUID, EndpointTarget> targets = new HashMap<>();
          all(rows, EndpointStore::target).forEach(target -> targets.put(target.id(), target));
          return targets;
        });
  }

  /** The endpoint whose client certificate expires first; empty if none has one. */
  public Future<Optional<Certified>> firstToExpire() {
    return pool.query(FIRST_TO_EXPIRE)
        .execute()
        .map(rows -> all(rows, EndpointStore::certified).stream().findFirst());
  }

  private static Certified certified(Row row) {
    return new Certified(
        row.getUUID("workspace_id"),
        row.getUUID("id"),
        row.getOffsetDateTime("client_certificate_expires_at").toInstant());
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
    return new Endpoint(
        row.getUUID("id"),
        row.getString("url"),
        row.getString("description"),
        row.getBoolean("full_history"),
        List.of(row.getArrayOfStrings("header_names")),
        limits(row),
        certificate(row),
        row.getBoolean("standard_webhooks"),
        row.getBoolean("erasures"),
        row.getBoolean("paused"),
        instant(row, "paused_at"),
        row.getString("paused_reason"),
        row.getLong("created_position"),
        row.getOffsetDateTime("created_at").toInstant(),
        instant(row, "previous_secret_until"));
  }

  private static EndpointTarget target(Row row) {
    Buffer secret = row.getBuffer("secret");
    Buffer previous = row.getBuffer("previous_secret");
    return new EndpointTarget(
        row.getUUID("id"),
        row.getUUID("workspace_id"),
        row.getString("url"),
        previous == null ? List.of(secret) : List.of(secret, previous),
        row.getBuffer("headers"),
        row.getBuffer("client_certificate"),
        limits(row),
        row.getBoolean("standard_webhooks"),
        row.getBoolean("paused"),
        row.getBoolean("deleted"),
        row.getLong("created_position"),
        instant(row, "failing_since"));
  }

  private static EndpointLimits limits(Row row) {
    return new EndpointLimits(row.getInteger("max_per_second"), row.getInteger("max_in_flight"));
  }

  private static ClientCertificate.@Nullable Shown certificate(Row row) {
    Instant expiresAt = instant(row, "client_certificate_expires_at");
    return expiresAt == null
        ? null
        : new ClientCertificate.Shown(row.getString("client_certificate_subject"), expiresAt);
  }

  private static @Nullable String subject(@Nullable ClientCertificate certificate) {
    return certificate == null ? null : certificate.shown().subject();
  }

  private static @Nullable OffsetDateTime expiresAt(@Nullable ClientCertificate certificate) {
    return certificate == null ? null : certificate.shown().expiresAt().atOffset(ZoneOffset.UTC);
  }

  private static @Nullable Instant instant(Row row, String column) {
    OffsetDateTime time = row.getOffsetDateTime(column);
    return time == null ? null : time.toInstant();
  }
}
