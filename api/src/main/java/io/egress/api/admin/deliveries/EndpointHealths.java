package io.egress.api.admin.deliveries;

import static java.util.Objects.requireNonNull;

import io.egress.platform.database.Rows;
import io.egress.webhook.delivery.DeliveryId;
import io.egress.webhook.deliverylog.LogDays;
import io.egress.webhook.deliverylog.Undelivered;
import io.egress.webhook.endpoint.Endpoint;
import io.egress.webhook.endpoint.WorstEndpoints;
import io.vertx.sqlclient.Pool;
import io.vertx.sqlclient.Row;
import java.time.Clock;
import java.time.LocalDate;
import java.util.Collection;
import java.util.Comparator;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.UUID;
import java.util.stream.Stream;

/**
 * Reads the health of endpoints: how their newest attempts ended from {@code endpoint_hours}, and
 * what was not delivered from the index of undelivered deliveries. The cost of an endpoint is
 * bounded.
 */
public final class EndpointHealths {
  /** Undelivered captures counted per endpoint and state, of the newest {@link #ENDED_MAX}. */
  static final int COUNTED_MAX = 1_000;

  private static final int ENDED_MAX = 5_000;

  /** Retries of a delivery that was owed earlier than that have ended. */
  private static final int RECENT_DAYS = 3;

  private static final int TROUBLED_MAX = 1_000;

  private static final String ENDED =
      """
      select position, capture_id, replay_id, origin, state, owed_at from deliveries
      where endpoint_id = e.id and state = '%s' and state <> 'delivered' %s
      order by position desc limit %d\
      """;

  /** Where {@code of_replay} is true, the first delivery may have been delivered. */
  private static final String UNDELIVERED_AMONG =
      """
      cross join lateral (
        select count(*) filter (where state = 'exhausted' and not of_replay) as exhausted,
          count(*) filter (where state = 'skipped' and not of_replay) as skipped,
          array_agg(capture_id) filter (where state = 'exhausted' and of_replay) as exhausted_again,
          array_agg(capture_id) filter (where state = 'skipped' and of_replay) as skipped_again
        from (
          select (array_agg(d.capture_id))[1] as capture_id,
            (array_agg(d.state order by d.owed_at desc))[1] as state,
            bool_and(d.replay_id is not null and d.origin <> 'update') as of_replay
          from ((%s) union all (%s)) as d
          where %s
          group by d.position) as each_of_them) as u
      """;

  private static final String UNDELIVERED = undelivered("");

  private static final String HEALTH =
      "select "
          + NewestAttempts.COLUMNS
          + ", u.* from endpoints e "
          + NewestAttempts.JOINS
          + UNDELIVERED
          + " where e.id = any($1)";

  private static final String NEWEST_ATTEMPTS =
      "select "
          + NewestAttempts.COLUMNS
          + " from endpoints e "
          + NewestAttempts.JOINS
          + " where e.id = any($1)";

  private static final String TROUBLED =
      """
      select e.id from endpoints e
      where e.workspace_id = $1 and e.deleted_at is null and not e.paused and %s
      limit %d
      """
          .formatted(WorstEndpoints.failedSince("e.id", "$2"), TROUBLED_MAX);

  private final Pool pool;
  private final LogDays days;
  private final Clock clock;

  public EndpointHealths(Pool pool, LogDays days, Clock clock) {
    this.pool = pool;
    this.days = days;
    this.clock = clock;
  }

  /** A join that counts them; {@code places} is a further condition on their positions. */
  static String undelivered(String places) {
    return UNDELIVERED_AMONG.formatted(
        ENDED.formatted("exhausted", places, ENDED_MAX),
        ENDED.formatted("skipped", places, ENDED_MAX),
        Undelivered.condition("d", "e.id", "null"));
  }

  /** Keyed by endpoint id. */
  public Map<UUID, EndpointHealth> of(List<Endpoint> endpoints) {
    if (endpoints.isEmpty()) {
      return Map.of();
    }
    UUID[] ids = endpoints.stream().map(Endpoint::id).toArray(UUID[]::new);
    Map<UUID, Row> rows = new HashMap<>();
    Rows.of(pool, HEALTH, (Object) ids).forEach(row -> rows.put(row.getUUID("endpoint_id"), row));
    Set<UUID> delivered = delivered(pool, rows.values());
    Map<UUID, EndpointHealth> healths = new HashMap<>();
    for (Endpoint endpoint : endpoints) {
      Row row = requireNonNull(rows.get(endpoint.id()));
      healths.put(endpoint.id(), health(endpoint, row, delivered));
    }
    return healths;
  }

  /** Without what was not delivered, which costs more to count; keyed by endpoint id. */
  public Map<UUID, NewestAttempts> newestAttempts(List<Endpoint> endpoints) {
    Object ids = endpoints.stream().map(Endpoint::id).toArray(UUID[]::new);
    Map<UUID, NewestAttempts> found = new HashMap<>();
    Rows.of(pool, NEWEST_ATTEMPTS, ids)
        .forEach(row -> found.put(row.getUUID("endpoint_id"), NewestAttempts.of(row)));
    return found;
  }

  /**
   * Endpoints whose recent deliveries failed come first, in an otherwise unchanged order. Which of
   * them have recovered since is not examined.
   */
  public List<Endpoint> troubledFirst(UUID workspaceId, List<Endpoint> all) {
    Set<UUID> troubled = new HashSet<>();
    Rows.of(pool, TROUBLED, workspaceId, recently())
        .forEach(row -> troubled.add(row.getUUID("id")));
    return all.stream()
        .sorted(Comparator.comparing(each -> !troubled.contains(each.id())))
        .toList();
  }

  /** Since when failed deliveries make an endpoint a troubled one. */
  public LocalDate recently() {
    return days.of(clock.instant()).minusDays(RECENT_DAYS);
  }

  /** The first deliveries of captures that only replays have failed to deliver. */
  static Set<UUID> delivered(Pool pool, Collection<Row> rows) {
    List<UUID> first =
        rows.stream()
            .flatMap(
                row -> Stream.concat(again(row, "exhausted_again"), again(row, "skipped_again")))
            .toList();
    return Undelivered.delivered(pool, first).await();
  }

  private static Stream<UUID> again(Row row, String column) {
    UUID endpointId = row.getUUID("endpoint_id");
    UUID[] captureIds = row.getArrayOfUUIDs(column);
    return captureIds == null
        ? Stream.of()
        : Stream.of(captureIds).map(captureId -> DeliveryId.of(endpointId, captureId));
  }

  static long undelivered(Row row, String state, Set<UUID> delivered) {
    return row.getLong(state)
        + again(row, state + "_again").filter(id -> !delivered.contains(id)).count();
  }

  private static EndpointHealth health(Endpoint endpoint, Row row, Set<UUID> delivered) {
    NewestAttempts made = NewestAttempts.of(row);
    long failed = undelivered(row, "exhausted", delivered);
    long skipped = undelivered(row, "skipped", delivered);
    return new EndpointHealth(
        made.judge(endpoint.paused()),
        made.attempts(),
        made.succeeded(),
        made.lastSuccess(),
        made.lastFailure(),
        made.failingSince(),
        Math.min(COUNTED_MAX, failed),
        Math.min(COUNTED_MAX, skipped),
        failed >= COUNTED_MAX || skipped >= COUNTED_MAX);
  }
}
