package io.egress.api.metrics;

import io.egress.platform.database.Rows;
import io.egress.platform.lifecycle.Recurring;
import io.egress.platform.metrics.Metrics;
import io.egress.webhook.delivery.Delivery;
import io.egress.webhook.delivery.EnteredCapture;
import io.egress.webhook.delivery.Owed;
import io.egress.webhook.deliverylog.LoggedDeliveries;
import io.vertx.core.Vertx;
import io.vertx.sqlclient.Pool;
import io.vertx.sqlclient.Row;
import io.vertx.sqlclient.RowSet;
import java.time.Clock;
import java.time.Duration;
import java.time.Instant;
import java.util.Comparator;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.UUID;
import java.util.function.ToDoubleFunction;
import org.jspecify.annotations.Nullable;

/**
 * Measures the lateness of deliveries from the database alone, so that it is visible even if no
 * dispatcher runs. An endpoint is behind if the newest capture that has been owed to it for a
 * minute has no row in the delivery log, meaning that no attempt was made. The endpoint stays
 * behind until that capture has a row, so the age of the oldest one grows as long as nothing
 * happens. It is behind, too, if a retry or a replay's delivery is overdue.
 *
 * <p>The cost is one primary key lookup per endpoint, in batches of a thousand, and one index scan
 * of overdue deliveries. Every api process computes the same.
 */
public final class EndpointsBehind {
  private static final Duration PERIOD = Duration.ofSeconds(15);
  private static final int ENDPOINTS_MAX = 1_000;
  private static final int REMEMBERED_MAX = 10_000;

  /** The newest captures, among which one is looked for that a filter wants. */
  private static final int FILTERED_MAX = 100;

  private static final double MILLIS_PER_SECOND = 1_000;
  private static final UUID BEFORE_ALL = new UUID(0, 0);

  private static final String NEWEST =
      """
      with asked as materialized (
        select id, workspace_id, created_position, created_at, full_history, filters from endpoints
        where deleted_at is null and not paused and id > $1 order by id limit %d),
      reached as materialized (
        select workspace_id, stream_position_before(workspace_id, now() - interval '1 minute') as position
        from (select distinct workspace_id from asked) as workspaces)
      select a.id, a.created_position, a.created_at, a.full_history, a.filters::text as filters, %s
      from asked a join reached r on r.workspace_id = a.workspace_id
        left join lateral (
          select * from stream t
          where workspace_id = a.workspace_id and position <= r.position
            and position > r.position - case when a.filters = '[]' then 1 else %d end
            and entered_at > now() - make_interval(days => $2) and admits(a.filters, t)
          order by position desc limit 1) s on true
      order by a.id
      """
          .formatted(ENDPOINTS_MAX, EnteredCapture.COLUMNS, FILTERED_MAX);

  private static final String ACTIVE =
      "select id from endpoints where id = any($1) and deleted_at is null and not paused";

  /** Of the deliveries that are overdue for longest, and of pages. */
  private static final String OVERDUE =
      """
      select o.endpoint_id, min(o.due_at) as since
      from (
        select endpoint_id, coalesce(next_attempt_at, updated_at) as due_at from deliveries
        where state = 'pending' and coalesce(next_attempt_at, updated_at) < now() - interval '10 minutes'
        order by coalesce(next_attempt_at, updated_at) limit %1$d) o
        join endpoints e on e.id = o.endpoint_id
      where e.deleted_at is null and not e.paused
      group by o.endpoint_id
      union all
      (select t.endpoint_id, greatest(t.due_at, t.owed_at) from turns t join endpoints e on e.id = t.endpoint_id
      where t.due_at < now() - interval '10 minutes' and t.owed_at < now() - interval '10 minutes'
        and e.deleted_at is null and not e.paused
      order by t.due_at limit %1$d)
      """
          .formatted(REMEMBERED_MAX);

  /** When the newest attempt of any delivery began; null if that is longer ago than an hour. */
  private static final String ATTEMPTED =
      """
      select max(greatest(last_success_at, last_failure_at)) as attempted_at from endpoint_hours
      where hour > now() - interval '2 hours'
      """;

  /**
   * How late deliveries are.
   *
   * @param oldest the age of the oldest capture without an attempt
   * @param attemptedAt when the newest attempt of any delivery began; null if that is longer ago
   *     than an hour, or if no endpoint is behind
   */
  public record Lateness(long endpoints, Duration oldest, @Nullable Instant attemptedAt) {}

  private final Pool pool;
  private final Clock clock;
  private final int rememberedDays;
  private final Recurring looking;
  private final Map<UUID, Delivery> behind = new HashMap<>();
  private UUID seen = BEFORE_ALL;
  private volatile @Nullable Lateness lateness;

  /** {@code logRetention} is how long the delivery log is kept. */
  public EndpointsBehind(
      Vertx vertx, Pool pool, Clock clock, Metrics metrics, Duration logRetention) {
    this.pool = pool;
    this.clock = clock;
    this.rememberedDays = (int) Math.max(1, logRetention.toDays() - 1);
    metrics.gauge(
        "egress_endpoints_behind",
        "endpoints whose newest capture older than a minute has no attempt, or with a retry or replay overdue by 10 minutes",
        () -> measured(Lateness::endpoints));
    metrics.gauge(
        "egress_endpoints_behind_oldest_seconds",
        "age of the oldest capture that an endpoint has no attempt for, or time since the oldest overdue retry or replay was due",
        () -> measured(late -> late.oldest().toMillis() / MILLIS_PER_SECOND));
    this.looking =
        new Recurring(vertx, "counting endpoints behind", this::look)
            .onFailure(_ -> lateness = null)
            .nowAndEvery(PERIOD);
  }

  public void close() {
    looking.close();
  }

  /** How many endpoints are behind, and for how long at most; null if that is not known. */
  public @Nullable Lateness lateness() {
    return lateness;
  }

  private double measured(ToDoubleFunction<Lateness> measure) {
    Lateness known = lateness;
    return known == null ? Double.NaN : measure.applyAsDouble(known);
  }

  private void look() {
    Map<UUID, Delivery> newest = newest();
    newest.putAll(behind);
    remember(open(List.copyOf(newest.values())), overdue());
  }

  /** The newest live one of each of the next endpoints. */
  private Map<UUID, Delivery> newest() {
    Map<UUID, Delivery> newest = new HashMap<>();
    RowSet<Row> rows = Rows.of(pool, NEWEST, seen, rememberedDays);
    for (Row row : rows) {
      seen = row.getUUID("id");
      newestLive(row).ifPresent(delivery -> newest.put(seen, delivery));
    }
    if (rows.size() < ENDPOINTS_MAX) {
      seen = BEFORE_ALL;
    }
    return newest;
  }

  /** Empty if it is not owed to the endpoint, or so old that the log may have forgotten it. */
  private static Optional<Delivery> newestLive(Row row) {
    Long position = row.getLong("position");
    Owed owed = Owed.of(row);
    return position == null || !owed.isLive(position)
        ? Optional.empty()
        : Optional.of(owed.first(EnteredCapture.of(row)));
  }

  /** Those without an attempt whose endpoints are neither paused nor deleted. */
  private List<Delivery> open(List<Delivery> owed) {
    List<Delivery> missing = LoggedDeliveries.missing(pool, owed).await();
    UUID[] ids = missing.stream().map(Delivery::endpointId).toArray(UUID[]::new);
    Set<UUID> active =
        Set.copyOf(Rows.list(Rows.of(pool, ACTIVE, (Object) ids), row -> row.getUUID("id")));
    return missing.stream().filter(each -> active.contains(each.endpointId())).toList();
  }

  private Map<UUID, Instant> overdue() {
    Map<UUID, Instant> overdue = new HashMap<>();
    for (Row row : Rows.of(pool, OVERDUE)) {
      overdue.put(row.getUUID(0), Rows.instant(row, "since"));
    }
    return overdue;
  }

  private void remember(List<Delivery> open, Map<UUID, Instant> overdue) {
    Instant now = clock.instant();
    Instant forgotten = now.minus(Duration.ofDays(rememberedDays));
    behind.clear();
    open.stream()
        .filter(owed -> owed.owedAt().isAfter(forgotten))
        .sorted(Comparator.comparing(Delivery::owedAt))
        .limit(REMEMBERED_MAX)
        .forEach(owed -> behind.put(owed.endpointId(), owed));
    Map<UUID, Instant> since = new HashMap<>(overdue);
    behind
        .values()
        .forEach(owed -> since.merge(owed.endpointId(), owed.owedAt(), EndpointsBehind::earlier));
    Duration oldest =
        since.values().stream()
            .map(each -> Duration.between(each, now))
            .filter(Duration::isPositive)
            .max(Comparator.naturalOrder())
            .orElse(Duration.ZERO);
    lateness = new Lateness(since.size(), oldest, since.isEmpty() ? null : attemptedAt());
  }

  private @Nullable Instant attemptedAt() {
    return Rows.optionalInstant(Rows.of(pool, ATTEMPTED).iterator().next(), "attempted_at");
  }

  private static Instant earlier(Instant one, Instant other) {
    return one.isBefore(other) ? one : other;
  }
}
