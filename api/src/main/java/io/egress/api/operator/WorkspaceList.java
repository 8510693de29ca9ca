package io.egress.api.operator;

import static java.util.Objects.requireNonNull;

import io.egress.api.deliveries.EndpointHealth;
import io.egress.api.deliveries.EndpointHealths;
import io.egress.endpoint.Endpoint;
import io.egress.endpoint.EndpointStore;
import io.vertx.core.Future;
import io.vertx.sqlclient.Pool;
import io.vertx.sqlclient.Row;
import io.vertx.sqlclient.Tuple;
import java.time.Instant;
import java.time.OffsetDateTime;
import java.util.ArrayList;
import java.util.Iterator;
import java.util.List;
import java.util.UUID;
import org.jspecify.annotations.Nullable;

/** Lists workspaces with their streams and the health of their endpoints. */
final class WorkspaceList {
  /** Endpoints of a workspace whose health is judged, those with recent failures first. */
  static final int JUDGED_MAX = 100;

  private static final String LIST =
      """
      select w.id, w.name, w.stream_head, s.entered_at as newest_at, w.ended_at,
        w.stream_head - stream_position_before(w.id, now() - interval '1 hour') as last_hour
      from workspaces w left join stream s on s.workspace_id = w.id and s.position = w.stream_head
      where w.emptied_at is null and ($1::uuid is null or w.id > $1) and (not $2 or exists (
        select from endpoints e where e.workspace_id = w.id and e.deleted_at is null and (e.paused or exists (
          select from deliveries d where d.endpoint_id = e.id and d.state in ('pending', 'exhausted')
            and d.state <> 'delivered' and d.attempts > 0 and d.day >= current_date - 3))))
      order by w.id limit $3
      """;

  /** An endpoint with its health. */
  record Judged(Endpoint endpoint, EndpointHealth health) {}

  /**
   * A workspace.
   *
   * @param captures the captures of its stream, of which {@code lastHour} are new
   * @param endpoints the number of its endpoints
   * @param judged up to {@link #JUDGED_MAX} of them
   */
  record Listed(
      UUID id,
      @Nullable String name,
      long captures,
      long lastHour,
      @Nullable Instant newestAt,
      @Nullable Instant endedAt,
      int endpoints,
      List<Judged> judged) {
    Listed {
      judged = List.copyOf(judged);
    }
  }

  private final Pool pool;
  private final EndpointStore endpoints;
  private final EndpointHealths healths;

  WorkspaceList(Pool pool, EndpointHealths healths) {
    this.pool = requireNonNull(pool, "pool is null");
    this.endpoints = new EndpointStore(pool);
    this.healths = requireNonNull(healths, "healths is null");
  }

  /**
   * In the order of their ids, after {@code after} unless that is null.
   *
   * @param troubled whether to list only those with an endpoint that is paused or failed recently
   */
  Future<List<Listed>> list(@Nullable UUID after, boolean troubled, int max) {
    return pool.preparedQuery(LIST)
        .execute(Tuple.of(after, troubled, max))
        .compose(rows -> complete(rows.iterator(), new ArrayList<>()));
  }

  private Future<List<Listed>> complete(Iterator<Row> rows, List<Listed> listed) {
    if (!rows.hasNext()) {
      return Future.succeededFuture(listed);
    }
    Row row = rows.next();
    return listed(row)
        .compose(
            workspace -> {
              listed.add(workspace);
              return complete(rows, listed);
            });
  }

  private Future<Listed> listed(Row row) {
    UUID id = row.getUUID("id");
    return endpoints
        .list(id)
        .compose(
            all ->
                judge(id, all)
                    .map(
                        judged ->
                            new Listed(
                                id,
                                row.getString("name"),
                                row.getLong("stream_head"),
                                row.getLong("last_hour"),
                                instant(row, "newest_at"),
                                instant(row, "ended_at"),
                                all.size(),
                                judged)));
  }

  private static @Nullable Instant instant(Row row, String column) {
    OffsetDateTime time = row.getOffsetDateTime(column);
    return time == null ? null : time.toInstant();
  }

  private Future<List<Judged>> judge(UUID workspaceId, List<Endpoint> all) {
    if (all.isEmpty()) {
      return Future.succeededFuture(List.of());
    }
    return healths
        .troubledFirst(workspaceId, all)
        .compose(
            sorted -> {
              List<Endpoint> judged = sorted.stream().limit(JUDGED_MAX).toList();
              return healths
                  .of(workspaceId, judged)
                  .map(
                      found ->
                          judged.stream()
                              .map(each -> new Judged(each, requireNonNull(found.get(each.id()))))
                              .toList());
            });
  }
}
