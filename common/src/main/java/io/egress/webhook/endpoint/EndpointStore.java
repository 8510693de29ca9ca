package io.egress.webhook.endpoint;

import io.egress.platform.database.Rows;
import io.egress.platform.json.Json;
import io.egress.webhook.delivery.Owed;
import io.egress.webhook.delivery.Owed.HeldFilter;
import io.egress.webhook.delivery.StreamFilter;
import io.egress.webhook.endpoint.CustomHeaders.SealedHeaders;
import io.vertx.core.Future;
import io.vertx.core.buffer.Buffer;
import io.vertx.core.json.JsonArray;
import io.vertx.sqlclient.Pool;
import io.vertx.sqlclient.Row;
import io.vertx.sqlclient.RowSet;
import io.vertx.sqlclient.SqlClient;
import io.vertx.sqlclient.SqlConnection;
import io.vertx.sqlclient.Tuple;
import java.time.Duration;
import java.time.Instant;
import java.util.Collection;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.UUID;
import org.jspecify.annotations.Nullable;

/** Stores the endpoints of workspaces. Nothing is cached: a change applies to the next read. */
public final class EndpointStore {
  /**
   * A backfill of an empty range is finished at once. History that does not begin with the stream
   * is a full one of which a filter wants nothing before.
   */
  private static final String ADD =
      """
      with workspace as materialized (select * from workspaces where id = $2 for no key update),
      start as (
        select case when $5 then 0 when $18::timestamptz is null then stream_head
          else stream_position_before(id, $18) end as first from workspace),
      created as (
        insert into endpoints
          (id, workspace_id, spec, secret, full_history, headers, header_names,
            client_certificate, client_certificate_subject, client_certificate_expires_at, created_position, filters,
            oauth2, oauth2_shown, paused, paused_at, paused_reason, signing_key)
        select $1, w.id, $3, $4, $16::integer is null and ($5 or s.first < w.stream_head), $6, $7, $8, $9, $10,
          case when $16 is null then w.stream_head else %d end,
          case when $16 is null and s.first between 1 and w.stream_head - 1 then jsonb_build_array(
              jsonb_build_object('after', 0, 'filter', $19::jsonb),
              jsonb_build_object('after', s.first, 'filter', $3::jsonb->'filter'))
            else $11 end,
          $12, $13, $14::boolean,
          case when $14 then now() end, case when $14 then 'requested' end, $15
        from workspace w cross join start s
        returning *),
      turn as (
        insert into turns
          (endpoint_id, first_position, position, read_up_to, changes_position, changes_read_up_to, page_up_to, due_at, owed_at,
            batch, max_body, size)
        select c.id, s.first, s.first, s.first, h.changed, h.changed, case when s.first < w.stream_head then w.stream_head end,
          case when s.first < w.stream_head then 'epoch'::timestamptz end,
          case when s.first < w.stream_head then now() end, $16, $17::integer, $16
        from created c cross join workspace w cross join start s cross join lateral (
          select coalesce((select number from change_heads where workspace_id = w.id), 0) as changed) h
        where $16 is not null
        returning *),
      history as (
        insert into backfills
          (id, endpoint_id, origin, first_position, next_position, last_position, created_at, finished_at)
        select c.id, c.id, 'backfill', s.first + 1, s.first + 1, c.created_position, c.created_at,
          case when c.created_position = s.first then c.created_at end
        from created c cross join start s where c.full_history)
      select %s from created
      """
          .formatted(Owed.NOTHING_BELOW, EndpointRow.shown("turn"));

  private static final String LIST =
      "select "
          + EndpointRow.SHOWN
          + " from endpoints where workspace_id = $1 and deleted_at is null and (created_at, id) > ($2, $3)"
          + " order by created_at, id limit $4";

  private static final String SHOW =
      "select "
          + EndpointRow.SHOWN
          + " from endpoints where workspace_id = $1 and id = $2 and deleted_at is null";

  private static final String LOCK =
      "select headers, client_certificate, oauth2, signing_key, "
          + EndpointRow.SHOWN
          + " from endpoints where workspace_id = $1 and id = $2 and deleted_at is null"
          + " for no key update";

  private static final String HOLD_STREAM =
      "select from workspaces where id = $1 for no key update";

  /** Resuming an endpoint, or changing its URL, resets its failure state, and its page is due. */
  private static final String WRITE =
      """
      with due as (
        update turns t set due_at = 'epoch', owed_at = now(), page_up_to = coalesce(t.page_up_to, w.stream_head)
        from endpoints e join workspaces w on w.id = e.workspace_id
        where t.endpoint_id = $1 and e.id = $1 and $9 and (t.read_up_to < w.stream_head or t.page_up_to is not null))
      update endpoints set
        spec = spec || $2, headers = $3, header_names = $4,
        client_certificate = $5, client_certificate_subject = $6, client_certificate_expires_at = $7,
        oauth2 = $10, oauth2_shown = $11,
        signing_key = $12,
        paused = $8,
        paused_at = case when $8 then coalesce(paused_at, now()) end,
        paused_reason = case when $8 then coalesce(paused_reason, 'requested') end,
        failing_since = case when $9 then null else failing_since end,
        filters = case when $2 ? 'filter' then filters || jsonb_build_array(jsonb_build_object(
            'after', (select stream_head from workspaces where id = workspace_id), 'filter', $2->'filter'))
          else filters end,
        updated_at = now()
      where id = $1
      returning %s
      """
          .formatted(EndpointRow.SHOWN);

  private static final String ROTATE =
      """
      update endpoints set
        secret = $3,
        previous_secret = case when $4::bigint > 0 then secret end,
        previous_secret_until = case when $4::bigint > 0 then now() + $4::bigint * interval '1 ms' end,
        signing_key = $5,
        previous_signing_key = case when $4::bigint > 0 then signing_key end,
        previous_signing_key_until = case
          when $4::bigint > 0 and signing_key is not null then now() + $4::bigint * interval '1 ms' end,
        updated_at = now()
      where workspace_id = $1 and id = $2 and deleted_at is null
        and ($4::bigint = 0 or previous_secret_until is null or previous_secret_until <= now())
      returning %s
      """
          .formatted(EndpointRow.SHOWN);

  private static final String END_OVERLAP =
      """
      update endpoints set previous_secret = null, previous_secret_until = null, previous_signing_key = null,
        previous_signing_key_until = null, updated_at = now()
      where workspace_id = $1 and id = $2 and deleted_at is null
      returning id
      """;

  /** Its backfills, of which there may be many, end in the background. */
  private static final String DELETE =
      """
      with gone as (
        update endpoints set deleted_at = now(), updated_at = now()
        where workspace_id = $1 and id = coalesce($2, id) and deleted_at is null
        returning id),
      unnotified as (delete from erasure_backfills where endpoint_id in (select id from gone)),
      uncaught as (delete from catch_ups where endpoint_id in (select id from gone)),
      unturned as (
        update turns set due_at = null, owed_at = null where endpoint_id in (select id from gone))
      select id from gone
      """;

  private static final String PUBLIC_KEYS =
      "select id, previous_signing_key_until, "
          + EndpointRow.SIGNING_KEYS
          + " from endpoints where id = any($1) and deleted_at is null";

  private static final String FIRST_TO_EXPIRE =
      "select id, workspace_id, client_certificate_expires_at from endpoints"
          + " where deleted_at is null and client_certificate_expires_at is not null"
          + " order by client_certificate_expires_at limit 1";

  /** An endpoint with a client certificate of its own. */
  public record Certified(UUID workspaceId, UUID id, Instant expiresAt) {}

  /** An endpoint whose row is locked. */
  public record Locked(Endpoint endpoint, SealedParts sealed) {}

  private final Pool pool;

  public EndpointStore(Pool pool) {
    this.pool = pool;
  }

  /**
   * Everything sealed must be sealed for {@code id}. Until the transaction ends, no capture enters
   * the stream of the workspace, which must exist.
   */
  public static Future<Endpoint> add(
      SqlConnection transaction,
      UUID workspaceId,
      UUID id,
      NewEndpoint endpoint,
      Buffer sealedSecret,
      SealedParts sealed) {
    return transaction
        .preparedQuery(ADD)
        .execute(
            Rows.parameters(
                id,
                workspaceId,
                StoredSpec.encode(endpoint.spec()),
                sealedSecret,
                endpoint.start().fullHistory(),
                sealed.headers().sealed(),
                sealed.headers().names().toArray(String[]::new),
                sealed.certificate(),
                sealed.certificateSubject(),
                sealed.certificateExpiresAt(),
                filters(endpoint.spec()),
                sealed.oauth2(),
                sealed.shownOAuth2Json(),
                endpoint.paused(),
                sealed.signingKey(),
                endpoint.stream() == null ? null : endpoint.stream().batch(),
                endpoint.stream() == null ? null : endpoint.stream().maxBody(),
                endpoint.start().from(),
                Json.object(StreamFilter.NOTHING)))
        .map(rows -> EndpointRow.endpoint(rows.iterator().next()));
  }

  /** Oldest first. */
  public Future<List<Endpoint>> list(UUID workspaceId) {
    return list(workspaceId, Instant.EPOCH, new UUID(0, 0), Integer.MAX_VALUE);
  }

  /** The next {@code max} of them after the one that was created then and has the id. */
  public Future<List<Endpoint>> list(
      UUID workspaceId, Instant afterCreated, UUID afterId, int max) {
    return pool.preparedQuery(LIST)
        .execute(Rows.parameters(workspaceId, afterCreated, afterId, max))
        .map(rows -> Rows.list(rows, EndpointRow::endpoint));
  }

  /** Empty if the workspace has no such endpoint, or it was deleted. */
  public Future<Optional<Endpoint>> show(UUID workspaceId, UUID id) {
    return pool.preparedQuery(SHOW)
        .execute(Tuple.of(workspaceId, id))
        .map(rows -> Rows.one(rows, EndpointRow::endpoint));
  }

  /** Until the transaction ends, no capture enters the stream of the workspace. */
  public static Future<Void> holdStream(SqlConnection transaction, UUID workspaceId) {
    return transaction.preparedQuery(HOLD_STREAM).execute(Tuple.of(workspaceId)).mapEmpty();
  }

  /** Locks the endpoint until the transaction ends; empty if there is none, or it was deleted. */
  public static Future<Optional<Locked>> lock(
      SqlConnection transaction, UUID workspaceId, UUID id) {
    return transaction
        .preparedQuery(LOCK)
        .execute(Tuple.of(workspaceId, id))
        .map(rows -> Rows.one(rows, EndpointStore::locked));
  }

  private static Locked locked(Row row) {
    Endpoint endpoint = EndpointRow.endpoint(row);
    return new Locked(
        endpoint,
        new SealedParts(
            new SealedHeaders(row.getBuffer("headers"), endpoint.headers()),
            row.getBuffer("client_certificate"),
            endpoint.clientCertificate(),
            row.getBuffer("oauth2"),
            endpoint.oauth2(),
            row.getBuffer("signing_key")));
  }

  /**
   * Writes all that {@code change} leaves of a locked endpoint; {@code sealed} is after it. The
   * stream must be held if the change may be one of the filter.
   */
  public static Future<Endpoint> write(
      SqlClient client, Endpoint before, EndpointChange change, SealedParts sealed) {
    EndpointSpec spec = change.spec().apply(before.spec());
    boolean paused = change.paused() == null ? before.paused() : change.paused();
    boolean resetsFailures =
        Boolean.FALSE.equals(change.paused()) || !spec.url().equals(before.url());
    return client
        .preparedQuery(WRITE)
        .execute(
            Rows.parameters(
                before.id(),
                StoredSpec.changes(before.spec(), spec),
                sealed.headers().sealed(),
                sealed.headers().names().toArray(String[]::new),
                sealed.certificate(),
                sealed.certificateSubject(),
                sealed.certificateExpiresAt(),
                paused,
                resetsFailures,
                sealed.oauth2(),
                sealed.shownOAuth2Json(),
                sealed.signingKey()))
        .map(rows -> EndpointRow.endpoint(rows.iterator().next()));
  }

  /**
   * {@code sealedSecret} and {@code signingKey}, null if the endpoint has none, sign from the next
   * attempt on, and the previous ones beside them for {@code overlap}. Empty if the workspace has
   * no such endpoint, or a previous overlap has not ended and another one is requested.
   */
  public static Future<Optional<Endpoint>> rotate(
      SqlClient client,
      UUID workspaceId,
      UUID id,
      Buffer sealedSecret,
      @Nullable Buffer signingKey,
      Duration overlap) {
    return client
        .preparedQuery(ROTATE)
        .execute(Rows.parameters(workspaceId, id, sealedSecret, overlap.toMillis(), signingKey))
        .map(rows -> Rows.one(rows, EndpointRow::endpoint));
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

  /** Those that verify webhooks by Ed25519, newest first, by endpoint; without deleted ones. */
  public static Future<Map<UUID, List<SigningKey>>> signingKeys(
      SqlClient client, Collection<UUID> ids) {
    return client
        .preparedQuery(PUBLIC_KEYS)
        .execute(Tuple.tuple().addArrayOfUUID(ids.toArray(UUID[]::new)))
        .map(rows -> Rows.byId(rows, EndpointRow::signingKeys));
  }

  /** The endpoint whose client certificate expires first; empty if none has one. */
  public Future<Optional<Certified>> firstToExpire() {
    return pool.query(FIRST_TO_EXPIRE)
        .execute()
        .map(rows -> Rows.one(rows, EndpointStore::certified));
  }

  private static Certified certified(Row row) {
    return new Certified(
        row.getUUID("workspace_id"),
        row.getUUID("id"),
        Rows.instant(row, "client_certificate_expires_at"));
  }

  /** A new endpoint's filter holds for its whole history. */
  private static JsonArray filters(EndpointSpec spec) {
    return spec.filter() == null
        ? new JsonArray()
        : new JsonArray().add(Json.object(new HeldFilter(0, spec.filter())));
  }
}
