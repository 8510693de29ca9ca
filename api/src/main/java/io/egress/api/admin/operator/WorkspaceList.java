package io.egress.api.admin.operator;

import static java.util.Objects.requireNonNull;

import io.egress.api.admin.deliveries.EndpointHealth;
import io.egress.api.admin.deliveries.EndpointHealths;
import io.egress.platform.database.Rows;
import io.egress.webhook.endpoint.Endpoint;
import io.egress.webhook.endpoint.EndpointStore;
import io.vertx.sqlclient.Pool;
import io.vertx.sqlclient.Row;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.Map;
import java.util.UUID;
import org.jspecify.annotations.Nullable;

/** Lists workspaces with their streams and the health of their endpoints. */
public final class WorkspaceList {
  /** Endpoints of a workspace whose health is judged, those with recent failures first. */
  static final int JUDGED_MAX = 100;

  /** Pending deliveries counted per endpoint. */
  static final int PENDING_MAX = 1_000;

  private static final UUID BEFORE_ALL = new UUID(0, 0);

  /**
   * The workspaces with an endpoint that is paused or failed recently. One look into the index of
   * undelivered deliveries per endpoint and day, whatever the planner knows of the tables.
   */
  private static final String TROUBLED =
      """
      troubled as materialized (
        select distinct e.workspace_id from endpoints e left join lateral (
          select true as recently from deliveries d
          where d.endpoint_id = e.id and d.state in ('pending', 'exhausted')
            and d.state <> 'delivered' and d.attempts > 0 and d.day >= current_date - 3
          limit 1) as failed on true
        where e.deleted_at is null and (e.paused or failed.recently) and %s)\
      """;

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
        where w.emptied_at is null
          and ($1::text is null or strpos(lower(w.name), lower($1)) > 0 or starts_with(w.id::text, lower($1)))
          and ($2::boolean is null or (t.workspace_id is null, w.id) > (not $2, $3))
        order by t.workspace_id is null, w.id limit $4)
      %s order by not l.troubled, w.id
      """
          .formatted(TROUBLED.formatted("true"), SHOWN);

  private static final String PENDING =
      """
      select count(*) as deliveries, min(d.owed_at) as oldest
      from unnest($1::uuid[]) as e(id) cross join lateral (
        select owed_at from deliveries
        where endpoint_id = e.id and state = 'pending' and state <> 'delivered'
        order by position limit %d) as d
      """
          .formatted(PENDING_MAX);

  /** An endpoint with its health. */
  public record Judged(Endpoint endpoint, EndpointHealth health) {}

  /**
   * Deliveries that have failed and will be retried.
   *
   * @param deliveries at most {@link #PENDING_MAX} of an endpoint
   * @param oldest since when the oldest is owed; null if there are none
   */
  public record Pending(long deliveries, @Nullable Instant oldest) {
    static final Pending NOTHING = new Pending(0, null);
  }

  /**
   * A workspace.
   *
   * @param troubled whether an endpoint is paused or failed recently, as far as that was examined
   * @param captures the captures of its stream, of which {@code lastHour} are new
   * @param retention how long it keeps its captures; null for good
   * @param endpoints the number of its endpoints
   * @param judged up to {@link #JUDGED_MAX} of them
   * @param pending of these
   */
  public record Listed(
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
      List<Judged> judged,
      Pending pending) {
    public Listed {
      judged = List.copyOf(judged);
    }

    public long undelivered() {
      return judged.stream().mapToLong(each -> each.health().undelivered()).sum();
    }

    /** The endpoints that are down, failing or paused. */
    public List<Judged> problems() {
      return judged.stream()
          .filter(each -> each.health().state().compareTo(EndpointHealth.State.PAUSED) <= 0)
          .toList();
    }
  }

  /** The end of a page of {@link #troubledFirst}. */
  public record Place(boolean troubled, UUID id) {
    public static Place of(Listed workspace) {
      return new Place(workspace.troubled(), workspace.id());
    }
  }

  private final Pool pool;
  private final EndpointStore endpoints;
  private final EndpointHealths healths;
  private final @Nullable Duration standard;

  /** {@code standard} is the retention of workspaces that have none of their own. */
  public WorkspaceList(Pool pool, EndpointHealths healths, @Nullable Duration standard) {
    this.pool = pool;
    this.endpoints = new EndpointStore(pool);
    this.healths = healths;
    this.standard = standard;
  }

  /**
   * In the order of their ids, after {@code after} unless that is null.
   *
   * @param troubled whether to list only those with an endpoint that is paused or failed recently
   */
  List<Listed> byId(@Nullable UUID after, boolean troubled, int max) {
    return Rows.list(Rows.of(pool, BY_ID, after, troubled, max), this::listed);
  }

  /**
   * Those with an endpoint that is paused or failed recently come first.
   *
   * @param search only those whose name contains it, or whose id begins with it; null for all
   */
  public List<Listed> troubledFirst(@Nullable String search, @Nullable Place after, int max) {
    return Rows.list(
        Rows.of(
            pool,
            TROUBLED_FIRST,
            search,
            after == null ? null : after.troubled(),
            after == null ? BEFORE_ALL : after.id(),
            max),
        this::listed);
  }

  private Listed listed(Row row) {
    UUID id = row.getUUID("id");
    List<Endpoint> all = endpoints.list(id).await();
    List<Judged> judged = judge(id, all);
    return listed(id, row, all.size(), judged, pending(judged));
  }

  private Listed listed(UUID id, Row row, int inAll, List<Judged> judged, Pending pending) {
    Long retention = row.getLong("retention_ms");
    return new Listed(
        id,
        row.getBoolean("troubled"),
        row.getString("name"),
        row.getLong("stream_head"),
        row.getLong("last_hour"),
        Rows.optionalInstant(row, "newest_at"),
        Rows.optionalInstant(row, "ended_at"),
        retention == null ? standard : Duration.ofMillis(retention),
        row.getBoolean("legal_hold"),
        inAll,
        judged,
        pending);
  }

  private List<Judged> judge(UUID workspaceId, List<Endpoint> all) {
    if (all.isEmpty()) {
      return List.of();
    }
    List<Endpoint> judged =
        healths.troubledFirst(workspaceId, all).await().stream().limit(JUDGED_MAX).toList();
    Map<UUID, EndpointHealth> found = healths.of(judged).await();
    return judged.stream()
        .map(each -> new Judged(each, requireNonNull(found.get(each.id()))))
        .toList();
  }

  private Pending pending(List<Judged> judged) {
    if (judged.isEmpty()) {
      return Pending.NOTHING;
    }
    UUID[] ids = judged.stream().map(each -> each.endpoint().id()).toArray(UUID[]::new);
    Row row = Rows.of(pool, PENDING, (Object) ids).iterator().next();
    return new Pending(row.getLong("deliveries"), Rows.optionalInstant(row, "oldest"));
  }
}
