package io.egress.api.admin.copies;

import io.egress.api.admin.copies.CopiesReport.OfEndpoint;
import io.egress.api.admin.copies.CopiesReport.OfKey;
import io.egress.api.admin.copies.CopiesReport.Sent;
import io.egress.platform.database.Rows;
import io.egress.webhook.delivery.DeliveryId;
import io.egress.webhook.deliverylog.LoggedDeliveries;
import io.vertx.sqlclient.Pool;
import io.vertx.sqlclient.Row;
import java.time.Duration;
import java.time.Instant;
import java.time.LocalDate;
import java.time.ZoneOffset;
import java.util.List;
import java.util.Optional;
import java.util.UUID;
import org.jspecify.annotations.Nullable;

/**
 * Finds who has a copy of a capture: of keys from {@code readers}, of endpoints from the delivery
 * log, from what remains of it, and from what they were owed.
 */
public final class Copies {
  private static final String CAPTURE =
      """
      select c.workspace_id, c.revision, s.position, s.entered_at, x.number, x.changed_at, e.erased_at,
        e.reason as erased_reason
      from captures c left join stream s on s.capture_id = c.id left join changes x on x.capture_id = c.id
        left join erasures e on e.capture_id = c.id
      where c.id = $1
      """;

  /**
   * A change moves in the list, so a key that has read earlier ones may have been sent this one.
   */
  private static final String KEYS =
      """
      select r.key_id, r.name, r.last_four, r.created_at, coalesce(k.last_used_at, r.last_used_at) as last_used_at,
        coalesce(r.ended_at, case when k.expires_at <= now() then k.expires_at end) as ended_at,
        r.captures @> $2::bigint as was_sent, r.by_id_since is not null as reads_by_id,
        $3::bigint is not null and not isempty(r.changes) as has_read_changes,
        coalesce(r.changes @> $3::bigint, false) as has_read_newest
      from readers r left join api_keys k on k.id = r.key_id
        left join stream s on s.workspace_id = r.workspace_id and s.position = $2
      where r.workspace_id = $1 and wants(r.filter, s) order by r.created_at, r.key_id
      """;

  private static final String ENDPOINTS =
      "select id from endpoints where workspace_id = $1 order by created_at, id";

  /**
   * Nothing is owed before its capture has entered the stream, nor is anything sent to an endpoint
   * that was paused or deleted well before that; the minute is for what was under way. A replay has
   * a row in the log for each delivery that it publishes, written before, so without one it has
   * sent nothing, as long as the log has its day. One of what was not delivered sends only what was
   * owed, or was to be sent by an earlier one. Of receipts only those are unpacked whose first and
   * last position enclose the capture's.
   */
  static final String RECEIVED =
      """
      select e.id, e.spec->>'url' as url, e.spec->>'description' as description, e.deleted_at, log.*, r.*
      from unnest($1::uuid[], $2::uuid[]) with ordinality as k(id, first_id, nth)
      join endpoints e on e.id = k.id
      join stream s on s.workspace_id = e.workspace_id and s.position = $3
      left join lateral (
        select coalesce(bool_or(d.origin <> 'erasure') filter (where d.state = 'delivered'), false) as accepted,
          min(a.started_at) filter (where d.origin not in ('update', 'erasure')) as delivered_at,
          max(a.revision) filter (where d.origin <> 'erasure') as revision,
          max(a.started_at) filter (where d.origin = 'update') as updated_at,
          max(a.started_at) filter (where d.origin = 'erasure') as erased_at,
          coalesce(bool_and(m.unreached), false) as unreached
        from (
          select id, day, origin, state from deliveries where id = k.first_id and day >= $4
          union all
          select id, day, origin, state from deliveries
          where endpoint_id = k.id and position = $3 and replay_id is not null and day >= $4) as d
        left join lateral (
          select started_at, revision from attempts
          where delivery_id = d.id and day = d.day and outcome = 'delivered' limit 1) as a on true
        left join lateral (
          select bool_and(signature is null) as unreached from attempts
          where delivery_id = d.id and day = d.day) as m on true) as log on true
      left join lateral (
        select min(day) filter (where not of_erasure) as day, max(day) filter (where not of_erasure) as last_day,
          max(day) filter (where of_erasure) as erased_day
        from (
          select day, false as of_erasure from receipts
          where endpoint_id = k.id and lower(delivered) <= $3 and upper(delivered) > $3 and delivered @> $3::bigint
          union all
          select day, false from receipts where endpoint_id = k.id and day >= $4 and updated @> $3::bigint
          union all
          select day, true from receipts where endpoint_id = k.id and day >= $4 and erased @> $3::bigint) as kept) as r on true
      where (e.full_history or e.created_position < $3) and admits(e.filters, s)
          and not coalesce(e.deleted_at < s.entered_at - interval '1 minute', false)
          and not coalesce(e.paused and e.paused_at < s.entered_at - interval '1 minute', false)
        or log.accepted or r.day is not null or e.replayed @> $3::bigint
        or exists (
          select from turns t
          where t.endpoint_id = e.id and t.read_up_to < $3 and t.page_up_to >= $3 and t.failing_since is not null
            and admits(e.filters, s))
        or exists (
          select from backfills b
          where b.endpoint_id = e.id and b.origin not in ('update', 'erasure') and b.origin <> 'backfill'
            and b.first_position <= $3 and b.last_position >= $3 and not b.only_undelivered
            and (b.created_at < $5 or exists (
              select from deliveries d
              where d.endpoint_id = e.id and d.position = $3 and d.replay_id = b.id and d.replay_id is not null)))
      order by k.nth
      """;

  /** The log may have lost a day that it is said to begin with. */
  private static final Duration LOG_AHEAD = Duration.ofDays(1);

  /** What the copies are compared with. */
  private record Newest(long revision, @Nullable Instant changedAt, @Nullable Instant erasedAt) {}

  private final Pool pool;
  private final LoggedDeliveries log;

  public Copies(Pool pool, LoggedDeliveries log) {
    this.pool = pool;
    this.log = log;
  }

  /** Empty if the service never received the capture. */
  public Optional<CopiesReport> of(UUID captureId) {
    return Rows.one(Rows.of(pool, CAPTURE, captureId), row -> report(captureId, row));
  }

  private CopiesReport report(UUID captureId, Row capture) {
    UUID workspaceId = capture.getUUID("workspace_id");
    Long position = capture.getLong("position");
    Long change = capture.getLong("number");
    Newest newest =
        new Newest(
            capture.getLong("revision"),
            Rows.optionalInstant(capture, "changed_at"),
            Rows.optionalInstant(capture, "erased_at"));
    return new CopiesReport(
        captureId,
        workspaceId,
        position,
        Rows.optionalInstant(capture, "entered_at"),
        newest.changedAt(),
        newest.erasedAt(),
        capture.getString("erased_reason"),
        position == null ? List.of() : keys(workspaceId, position, change),
        position == null
            ? List.of()
            : endpoints(
                workspaceId,
                captureId,
                position,
                LocalDate.ofInstant(Rows.instant(capture, "entered_at"), ZoneOffset.UTC),
                newest));
  }

  private List<OfKey> keys(UUID workspaceId, long position, @Nullable Long change) {
    return Rows.list(
        Rows.of(pool, KEYS, workspaceId, position, change),
        row -> {
          boolean readsById = row.getBoolean("reads_by_id");
          return new OfKey(
              row.getUUID("key_id"),
              row.getString("name"),
              row.getString("last_four"),
              Rows.instant(row, "created_at"),
              Rows.optionalInstant(row, "last_used_at"),
              Rows.optionalInstant(row, "ended_at"),
              sent(row.getBoolean("was_sent"), row.getBoolean("has_read_changes") || readsById),
              readsById,
              change == null ? null : row.getBoolean("has_read_newest"));
        });
  }

  private static Sent sent(boolean certainly, boolean possibly) {
    if (certainly) {
      return Sent.YES;
    }
    return possibly ? Sent.POSSIBLY : Sent.NO;
  }

  private List<OfEndpoint> endpoints(
      UUID workspaceId, UUID captureId, long position, LocalDate enteredOn, Newest newest) {
    List<UUID> all = Rows.list(Rows.of(pool, ENDPOINTS, workspaceId), row -> row.getUUID("id"));
    UUID[] first =
        all.stream().map(endpoint -> DeliveryId.of(endpoint, captureId)).toArray(UUID[]::new);
    return Rows.list(
        Rows.of(
            pool,
            RECEIVED,
            all.toArray(UUID[]::new),
            first,
            position,
            enteredOn.minusDays(1),
            log.since().plus(LOG_AHEAD).atOffset(ZoneOffset.UTC)),
        row -> endpoint(row, newest));
  }

  private static OfEndpoint endpoint(Row row, Newest newest) {
    Instant deliveredAt = Rows.optionalInstant(row, "delivered_at");
    Instant updatedAt = Rows.optionalInstant(row, "updated_at");
    Instant erasedAt = Rows.optionalInstant(row, "erased_at");
    LocalDate day = row.getLocalDate("day");
    Long revision = row.getLong("revision");
    boolean accepted = row.getBoolean("accepted") || day != null;
    return new OfEndpoint(
        row.getUUID("id"),
        row.getString("url"),
        row.getString("description"),
        Rows.optionalInstant(row, "deleted_at"),
        accepted ? Sent.YES : Sent.POSSIBLY,
        !accepted && row.getBoolean("unreached"),
        deliveredAt,
        deliveredAt == null ? day : null,
        revision,
        updatedAt,
        erasedAt,
        told(row, newest, revision, erasedAt));
  }

  /**
   * What is older than the log does not say which revision it was. What was owed since a later day
   * than that of the newest change has shown it.
   */
  private static @Nullable Boolean told(
      Row row, Newest newest, @Nullable Long revision, @Nullable Instant erasedAt) {
    if (newest.erasedAt() != null) {
      return erasedAt != null || row.getLocalDate("erased_day") != null;
    }
    Instant changedAt = newest.changedAt();
    if (changedAt == null) {
      return null;
    }
    LocalDate lastDay = row.getLocalDate("last_day");
    return (revision != null && revision >= newest.revision())
        || (lastDay != null && lastDay.isAfter(LocalDate.ofInstant(changedAt, ZoneOffset.UTC)));
  }
}
