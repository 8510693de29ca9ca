package io.egress.api.admin.overview;

import static java.util.Objects.requireNonNull;

import io.egress.api.admin.deliveries.EndpointHealth;
import io.egress.api.admin.deliveries.EndpointHealths;
import io.egress.api.admin.deliveries.PendingDeliveries;
import io.egress.api.admin.deliveries.PendingDeliveries.Pending;
import io.egress.platform.database.Rows;
import io.egress.webhook.endpoint.Endpoint;
import io.egress.webhook.endpoint.WorstEndpoints;
import io.vertx.sqlclient.Pool;
import io.vertx.sqlclient.Row;
import io.vertx.sqlclient.RowSet;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.Map;
import java.util.UUID;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/** Lists workspaces with their streams and the health of their endpoints. */
public final class WorkspaceList {
  /** Endpoints of a workspace whose health is judged, those with recent failures first. */
  static final int JUDGED_MAX = 100;

  private static final UUID BEFORE_ALL = new UUID(0, 0);

  /** The workspaces with an endpoint that is paused or failed recently. */
  private static final String TROUBLED =
      """
      troubled as materialized (
        select distinct e.workspace_id from endpoints e
        where e.deleted_at is null and (e.paused or %s) and %%s)\
      """
          .formatted(WorstEndpoints.failedSince("e.id", "current_date - 3"));

  private static final String SHOWN =
      """
      select w.id, l.troubled, w.name, w.stream_head, s.entered_at as newest_at, w.ended_at, w.retention_ms, w.legal_hold,
        w.stream_head - stream_position_before(w.id, now() - interval '1 hour') as last_hour
      from l join workspaces w on w.id = l.id
        left join stream s on s.workspace_id = w.id and s.position = w.stream_head
      """;

  private static final String BY_ID =
      """
      with %s, l as materialized (
        select w.id, $2 as troubled from workspaces w
        where w.emptied_at is null and ($1::uuid is null or w.id > $1)
          and (not $2 or w.id in (select workspace_id from troubled))
        order by w.id limit $3)
      %s order by w.id
      """
          .formatted(TROUBLED.formatted("$2::boolean"), SHOWN);

  private static final String TROUBLED_FIRST =
      """
      with %s, l as materialized (
        select w.id, t.workspace_id is not null as troubled
        from workspaces w left join troubled t on t.workspace_id = w.id
        where case when $1::text is null then w.emptied_at is null
            else strpos(lower(w.name), lower($1)) > 0 or starts_with(w.id::text, lower($1)) end
          and ($2::boolean is null or (t.workspace_id is null, w.id) > (not $2, $3))
        order by t.workspace_id is null, w.id limit $4)
      %s order by not l.troubled, w.id
      """
          .formatted(TROUBLED.formatted("true"), SHOWN);

  /** An endpoint with its health, and what is not delivered yet to it. */
  public record Judged(Endpoint endpoint, EndpointHealth health, Pending pending) {}

  /**
   * A workspace.
   *
   * @param troubled whether an endpoint is paused or failed recently, as far as that was examined
   * @param captures the captures of its stream, of which {@code lastHour} are new
   * @param retention how long it keeps its captures; null for good
   * @param endpoints the number of its endpoints
   * @param judged up to {@link #JUDGED_MAX} of them
   */
  public record ListedWorkspace(
      UUID id,
      boolean troubled,
      @Nullable String name,
      long captures,
      long lastHour,
      @Nullable Instant newestAt,
      @Nullable Instant endedAt,
      @Nullable Duration retention,
      boolean legalHold,
      int endpoints,
      List<Judged> judged) {
    public ListedWorkspace {
      judged = List.copyOf(judged);
    }

    /** The captures not delivered yet to the judged endpoints. */
    public long pending() {
      return judged.stream().mapToLong(each -> each.pending().captures()).sum();
    }

    /** Whether there may be more of them. */
    public boolean hasMorePending() {
      return judged.stream().anyMatch(each -> each.pending().hasMore());
    }

    /** Since when the oldest of them is owed; null if there are none. */
    public @Nullable Instant oldestPending() {
      return judged.stream()
          .map(each -> each.pending().oldest())
          .flatMap(Stream::ofNullable)
          .min(Instant::compareTo)
          .orElse(null);
    }

    public long undelivered() {
      return judged.stream().mapToLong(each -> each.health().undelivered()).sum();
    }

    /** The endpoints that are down, failing or paused. */
    public List<Judged> problems() {
      return judged.stream().filter(each -> each.health().state().isProblem()).toList();
    }
  }

  /** The end of a page of {@link #troubledFirst}. */
  public record Place(boolean troubled, UUID id) {
    public static Place of(ListedWorkspace workspace) {
      return new Place(workspace.troubled(), workspace.id());
    }
  }

  private final Pool pool;
  private final EndpointHealths healths;
  private final PendingDeliveries pending;
  private final @Nullable Duration standard;

  /** {@code standard} is the retention of workspaces that have none of their own. */
  public WorkspaceList(
      Pool pool, EndpointHealths healths, PendingDeliveries pending, @Nullable Duration standard) {
    this.pool = pool;
    this.healths = healths;
    this.pending = pending;
    this.standard = standard;
  }

  /**
   * In the order of their ids, after {@code after} unless that is null.
   *
   * @param troubled whether to list only those with an endpoint that is paused or failed recently
   */
  List<ListedWorkspace> byId(@Nullable UUID after, boolean troubled, int max) {
    return listed(Rows.of(pool, BY_ID, after, troubled, max));
  }

  /**
   * Those with an endpoint that is paused or failed recently come first. Those that have ended and
   * are empty are only found by a search.
   *
   * @param search only those whose name contains it, or whose id begins with it; null for all
   */
  public List<ListedWorkspace> troubledFirst(
      @Nullable String search, @Nullable Place after, int max) {
    return listed(
        Rows.of(
            pool,
            TROUBLED_FIRST,
            search,
            after == null ? null : after.troubled(),
            after == null ? BEFORE_ALL : after.id(),
            max));
  }

  /** Their endpoints and those' health are read for all of them at a time. */
  private List<ListedWorkspace> listed(RowSet<Row> rows) {
    List<UUID> ids = Rows.list(rows, row -> row.getUUID("id"));
    Map<UUID, WorstEndpoints> worst =
        WorstEndpoints.worstFirst(pool, ids, healths.recently(), JUDGED_MAX).await();
    List<Endpoint> all =
        worst.values().stream().flatMap(each -> each.endpoints().stream()).toList();
    Map<UUID, EndpointHealth> healthOf = healths.of(all);
    Map<UUID, Pending> pendingOf = pending.of(all);
    return Rows.list(
        rows,
        row -> {
          WorstEndpoints endpoints = worst.getOrDefault(row.getUUID("id"), WorstEndpoints.NONE);
          return listed(
              row,
              endpoints.total(),
              endpoints.endpoints().stream()
                  .map(each ->
                      new Judged(
                          each,
                          requireNonNull(healthOf.get(each.id())),
                          requireNonNull(pendingOf.get(each.id()))))
                  .toList());
        });
  }

  private ListedWorkspace listed(Row row, int endpoints, List<Judged> judged) {
    Duration retention = Rows.optionalDuration(row, "retention_ms");
    return new ListedWorkspace(
        row.getUUID("id"),
        row.getBoolean("troubled"),
        row.getString("name"),
        row.getLong("stream_head"),
        row.getLong("last_hour"),
        Rows.optionalInstant(row, "newest_at"),
        Rows.optionalInstant(row, "ended_at"),
        retention == null ? standard : retention,
        row.getBoolean("legal_hold"),
        endpoints,
        judged);
  }
}
