package io.egress.api.admin.deliveries;

import io.egress.platform.database.Rows;
import io.vertx.sqlclient.Pool;
import io.vertx.sqlclient.Row;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import java.util.UUID;
import org.jspecify.annotations.Nullable;

/** Counts what a replay of undelivered captures to all endpoints sends. The cost is bounded. */
public final class UndeliveredTotals {
  /**
   * What was given up or skipped at endpoints that are not paused.
   *
   * @param hasMore whether there may be more of both than were counted
   */
  public record Total(long deliveries, int endpoints, boolean hasMore) {}

  private static final int ENDPOINTS_MAX = 100;

  private static final String ENDPOINTS =
      """
      with part as materialized (
        select coalesce(stream_position_before(id, $2::timestamptz) + 1, 1) as first,
          least(stream_head, stream_position_before(id, $3::timestamptz)) as last
        from workspaces where id = $1)
      select e.id, r.first, r.last from part r join endpoints e on e.workspace_id = $1
      where e.deleted_at is null and not e.paused and r.first <= r.last
        and (select true from deliveries d
          where d.endpoint_id = e.id and d.state in ('exhausted', 'skipped') and d.state <> 'delivered'
            and d.position between r.first and r.last limit 1)
      limit %d
      """
          .formatted(ENDPOINTS_MAX + 1);

  private static final String COUNT =
      "select e.id as endpoint_id, u.* from endpoints e "
          + EndpointHealths.undelivered("and position between $2 and $3")
          + " where e.id = any($1)";

  private final Pool pool;

  public UndeliveredTotals(Pool pool) {
    this.pool = pool;
  }

  /** Of the captures that entered the stream from {@code from} on and before {@code to}. */
  public Total of(UUID workspaceId, @Nullable Instant from, @Nullable Instant to) {
    List<Row> found = new ArrayList<>();
    Rows.of(pool, ENDPOINTS, workspaceId, from, to).forEach(found::add);
    if (found.isEmpty()) {
      return new Total(0, 0, false);
    }
    boolean hasMore = found.size() > ENDPOINTS_MAX;
    UUID[] ids =
        found.stream().limit(ENDPOINTS_MAX).map(row -> row.getUUID("id")).toArray(UUID[]::new);
    Row part = found.getFirst();
    List<Row> counted = new ArrayList<>();
    Rows.of(pool, COUNT, ids, part.getLong("first"), part.getLong("last")).forEach(counted::add);
    Set<UUID> delivered = EndpointHealths.delivered(pool, counted);
    long deliveries = 0;
    int endpoints = 0;
    for (Row row : counted) {
      long failed = EndpointHealths.undelivered(row, "exhausted", delivered);
      long skipped = EndpointHealths.undelivered(row, "skipped", delivered);
      hasMore |= failed >= EndpointHealths.COUNTED_MAX || skipped >= EndpointHealths.COUNTED_MAX;
      deliveries += failed + skipped;
      endpoints += failed + skipped > 0 ? 1 : 0;
    }
    return new Total(deliveries, endpoints, hasMore);
  }
}
