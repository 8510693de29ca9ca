package io.egress.api.admin.deliveries;

import io.egress.platform.database.Rows;
import io.egress.webhook.deliverylog.LoggedDeliveries;
import io.egress.webhook.endpoint.Endpoint;
import io.vertx.sqlclient.Pool;
import io.vertx.sqlclient.Row;
import java.time.Instant;
import java.time.ZoneOffset;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.UUID;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/**
 * Counts the captures that are not delivered yet to an endpoint, for every page, list and command
 * that shows their number: live ones that were not attempted yet, and those of which a delivery is
 * to be attempted again or was created by a replay, unless a replay has delivered the capture.
 *
 * <p>Those not attempted yet follow from positions: the reconciler has found all up to one in the
 * log, and {@code endpoint_hours} has how many of the captures since its hour are there. Of an
 * endpoint with a filter they have to be looked for.
 */
public final class PendingDeliveries {
  /** Rows of the log that are read: of each endpoint, and of all of them beyond the least. */
  private static final int COUNTED_MAX = 10_000;

  private static final int COUNTED_LEAST = 1_000;
  private static final int COUNTED_IN_ALL = 200_000;

  /** {@code since} is the hour from which on captures without an attempt are possible. */
  private static final String PENDING =
      """
      with asked as materialized (
        select e.id, e.workspace_id, e.created_position, w.stream_head,
          greatest(date_trunc('hour', coalesce(s.entered_at, e.created_at), 'UTC'), $2) as since
        from endpoints e join workspaces w on w.id = e.workspace_id
          left join reconciliations r on r.endpoint_id = e.id
          left join stream s on s.workspace_id = e.workspace_id and s.position = r.position
        where e.id = any($1)),
      begun as materialized (
        select workspace_id, since, stream_position_before(workspace_id, since) as position
        from (select distinct workspace_id, since from asked) as hours)
      select a.id, a.stream_head - greatest(b.position, a.created_position) - h.attempted as untried,
        t.captures as retried, t.rows, t.oldest,
        (select entered_at from stream where workspace_id = a.workspace_id
          and position = greatest(b.position, a.created_position) + h.attempted + 1) as entered_at
      from asked a join begun b on b.workspace_id = a.workspace_id and b.since = a.since
        cross join lateral (
          select coalesce(sum(pending + delivered + exhausted + skipped), 0)::bigint as attempted
          from endpoint_hours where endpoint_id = a.id and hour >= a.since) as h
        cross join lateral (
          select count(distinct d.position) filter (where not d.again) as captures, count(*) as rows,
            min(d.owed_at) filter (where not d.again) as oldest
          from (
            select p.position, p.owed_at, exists (
                select from deliveries r where r.endpoint_id = a.id and r.position = p.position
                  and r.replay_id is not null and r.state = 'delivered') as again
            from (
              select position, owed_at from deliveries
              where endpoint_id = a.id and state = 'pending' and state <> 'delivered'
              order by position limit $3) as p) as d) as t
      """;

  /** By positions: whether a filter wants them shows when they are read. */
  private static final String OF_STREAMS =
      """
      select t.endpoint_id as id, w.stream_head - t.read_up_to as captures,
        (select entered_at from stream where workspace_id = w.id and position = t.read_up_to + 1) as oldest
      from turns t join endpoints e on e.id = t.endpoint_id join workspaces w on w.id = e.workspace_id
      where t.endpoint_id = any($1)
      """;

  /**
   * The captures not delivered yet.
   *
   * @param oldest since when the oldest of them is owed, if first attempts are made in the stream's
   *     order; null if there are none
   * @param hasMore whether there may be more than were counted
   */
  public record Pending(long captures, @Nullable Instant oldest, boolean hasMore) {
    static final Pending NONE = new Pending(0, null, false);
  }

  private final Pool pool;
  private final LoggedDeliveries log;
  private final FilteredWaiting filtered;

  public PendingDeliveries(Pool pool, LoggedDeliveries log) {
    this.pool = pool;
    this.log = log;
    this.filtered = new FilteredWaiting(pool);
  }

  /** Keyed by endpoint id. */
  public Map<UUID, Pending> of(List<Endpoint> endpoints) {
    if (endpoints.isEmpty()) {
      return Map.of();
    }
    UUID[] ids = endpoints.stream().map(Endpoint::id).toArray(UUID[]::new);
    int rowsMax = Math.clamp(COUNTED_IN_ALL / endpoints.size(), COUNTED_LEAST, COUNTED_MAX);
    Map<UUID, Row> rows =
        Rows.byId(
            Rows.of(pool, PENDING, ids, log.since().atOffset(ZoneOffset.UTC), rowsMax), row -> row);
    Map<UUID, FilteredWaiting.Untried> wanted = filtered.of(endpoints);
    Map<UUID, Pending> pending = ofStreams(endpoints);
    for (UUID id : ids) {
      if (pending.containsKey(id)) {
        continue;
      }
      Row row = rows.get(id);
      pending.put(id, row == null ? Pending.NONE : pending(row, wanted.get(id), rowsMax));
    }
    return pending;
  }

  /** Those behind the cursors of endpoints that are sent the stream itself. */
  private Map<UUID, Pending> ofStreams(List<Endpoint> endpoints) {
    UUID[] ids = Endpoint.idsOfStreams(endpoints);
    return ids.length == 0
        ? new HashMap<>()
        : new HashMap<>(
            Rows.byId(
                Rows.of(pool, OF_STREAMS, (Object) ids),
                row ->
                    new Pending(
                        row.getLong("captures"), Rows.optionalInstant(row, "oldest"), false)));
  }

  private static Pending pending(Row row, FilteredWaiting.@Nullable Untried wanted, int rowsMax) {
    long untried = wanted == null ? Math.max(0, row.getLong("untried")) : wanted.captures().size();
    Instant since = wanted == null ? Rows.optionalInstant(row, "entered_at") : wanted.oldest();
    return new Pending(
        untried + row.getLong("retried"),
        Stream.of(untried == 0 ? null : since, Rows.optionalInstant(row, "oldest"))
            .flatMap(Stream::ofNullable)
            .min(Instant::compareTo)
            .orElse(null),
        row.getLong("rows") >= rowsMax || (wanted != null && wanted.hasMore()));
  }
}
