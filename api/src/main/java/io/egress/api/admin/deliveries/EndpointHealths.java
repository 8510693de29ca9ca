package io.egress.api.admin.deliveries;

import io.egress.webhook.deliverylog.LogDays;
import io.egress.webhook.endpoint.DeliveryId;
import io.egress.webhook.endpoint.Endpoint;
import io.vertx.core.Future;
import io.vertx.sqlclient.Pool;
import io.vertx.sqlclient.Row;
import io.vertx.sqlclient.Tuple;
import java.time.Clock;
import java.time.Instant;
import java.time.LocalDate;
import java.time.OffsetDateTime;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.UUID;
import org.jspecify.annotations.Nullable;

/**
 * Reads the health of endpoints. Attempts have no index by endpoint. Those examined are the ones of
 * the newest captures, of the newest unfinished and exhausted deliveries, and of the newest
 * replays, which can all be looked up; the cost of an endpoint is bounded.
 */
public final class EndpointHealths {
  /** Undelivered captures counted per endpoint and state, of the newest {@link #ENDED_MAX}. */
  static final int COUNTED_MAX = 1_000;

  private static final int ENDED_MAX = 5_000;

  /** Retries of a delivery that was owed earlier than that have ended. */
  private static final int RECENT_DAYS = 3;

  private static final int TROUBLED_MAX = 1_000;

  private static final String NEWEST =
      """
      select position, capture_id, entered_at from stream
      where workspace_id = $1 order by position desc limit %d
      """
          .formatted(EndpointHealth.JUDGED);

  /** The repeated condition is that of the partial index, which excludes delivered rows. */
  private static final String IN_STATE =
      """
      select id, day from deliveries
      where endpoint_id = e.id and state = '%s' and state <> 'delivered' and attempts > 0
      order by position desc limit %d\
      """;

  private static final String ATTEMPTS =
      """
      with candidates as (
        select endpoint_id, id, day from unnest($2::uuid[], $3::uuid[], $4::date[]) as c(endpoint_id, id, day)
        union
        select e.id, d.id, d.day from unnest($1::uuid[]) as e(id) cross join lateral ((%s) union all (%s)) as d
        union
        select e.id, d.id, d.day from unnest($1::uuid[]) as e(id)
          cross join lateral (
            select * from backfills where endpoint_id = e.id order by created_at desc, id desc limit 2) as b
          cross join lateral (
            select id, day from deliveries
            where endpoint_id = e.id and replay_id is not null and replay_id = b.id
              and position >= b.first_position and position < b.next_position
            order by position desc limit %3$d) as d),
      made as (
        select c.endpoint_id, a.started_at, a.outcome = 'delivered' as succeeded,
          concat_ws(' ', a.outcome, a.status) as outcome,
          row_number() over (partition by c.endpoint_id order by a.started_at desc) as nth
        from candidates as c cross join lateral (
          select started_at, outcome, status from attempts where delivery_id = c.id and day = c.day
          order by attempt desc limit 5) as a)
      select endpoint_id, count(*) filter (where nth <= %3$d) as attempts,
        count(*) filter (where nth <= %3$d and succeeded) as succeeded,
        count(*) filter (where nth <= %4$d and succeeded) as newest,
        max(started_at) filter (where succeeded) as last_success,
        max(outcome) filter (where nth = 1) as last_outcome
      from made group by endpoint_id
      """
          .formatted(
              IN_STATE.formatted("pending", EndpointHealth.JUDGED),
              IN_STATE.formatted("exhausted", EndpointHealth.JUDGED),
              EndpointHealth.JUDGED,
              EndpointHealth.RECOVERED);

  private static final String ENDED =
      """
      select position, capture_id, replay_id, state, owed_at from deliveries
      where endpoint_id = e.id and state = '%s' and state <> 'delivered'
      order by position desc limit %d\
      """;

  /**
   * Captures that were owed, by the stream or by a replay that was not canceled, and of which no
   * delivery was delivered or is pending: what a replay of undelivered captures selects. Where only
   * deliveries of replays are read, {@code of_replay} is true: the first one may have been
   * delivered.
   */
  private static final String UNDELIVERED =
      """
      select e.id as endpoint_id, u.state, count(*) filter (where not u.of_replay) as captures,
        array_agg(u.capture_id) filter (where u.of_replay) as of_replays
      from unnest($1::uuid[]) as e(id) cross join lateral (
        select d.position, (array_agg(d.capture_id))[1] as capture_id,
          (array_agg(d.state order by d.owed_at desc))[1] as state,
          bool_and(d.replay_id is not null) as of_replay
        from ((%s) union all (%s)) as d
        where not exists (select from backfills c where c.id = d.replay_id and c.cancelled_at is not null)
          and not exists (
            select from deliveries r where r.endpoint_id = e.id and r.position = d.position
              and r.replay_id is not null and r.state in ('delivered', 'pending'))
          and not exists (
            select from deliveries p where p.endpoint_id = e.id and p.position = d.position
              and p.state = 'pending' and p.state <> 'delivered' and p.replay_id is null)
        group by d.position) as u
      group by 1, 2
      """
          .formatted(
              ENDED.formatted("exhausted", ENDED_MAX), ENDED.formatted("skipped", ENDED_MAX));

  private static final String DELIVERED =
      "select id from deliveries where id = any($1) and state = 'delivered'";

  /** One look into the index of undelivered deliveries per endpoint and day. */
  private static final String TROUBLED =
      """
      select e.id from endpoints e cross join lateral (
        select from deliveries d where d.endpoint_id = e.id and d.state in ('pending', 'exhausted')
          and d.state <> 'delivered' and d.attempts > 0 and d.day >= $2
        limit 1) as failed
      where e.workspace_id = $1 and e.deleted_at is null and not e.paused
      limit %d
      """
          .formatted(TROUBLED_MAX);

  private record Made(
      int attempts,
      int succeeded,
      int newest,
      @Nullable Instant lastSuccess,
      @Nullable String lastOutcome) {
    static final Made NOTHING = new Made(0, 0, 0, null, null);
  }

  /** Captures not delivered. */
  private record Ended(long failed, long skipped) {
    static final Ended NOTHING = new Ended(0, 0);

    Ended plus(String state, long more) {
      return state.equals("skipped")
          ? new Ended(failed, skipped + more)
          : new Ended(failed + more, skipped);
    }
  }

  private final Pool pool;
  private final LogDays days;
  private final Clock clock;

  public EndpointHealths(Pool pool, LogDays days, Clock clock) {
    this.pool = pool;
    this.days = days;
    this.clock = clock;
  }

  /** Keyed by endpoint id. {@code endpoints} belong to the workspace. */
  public Future<Map<UUID, EndpointHealth>> of(UUID workspaceId, List<Endpoint> endpoints) {
    if (endpoints.isEmpty()) {
      return Future.succeededFuture(Map.of());
    }
    UUID[] ids = endpoints.stream().map(Endpoint::id).toArray(UUID[]::new);
    return made(workspaceId, endpoints, ids)
        .compose(made -> ended(ids).map(ended -> healths(endpoints, made, ended)));
  }

  /**
   * Endpoints whose recent deliveries failed come first, in an otherwise unchanged order. Which of
   * them have recovered since is not examined.
   */
  public Future<List<Endpoint>> troubledFirst(UUID workspaceId, List<Endpoint> all) {
    LocalDate since = days.of(clock.instant()).minusDays(RECENT_DAYS);
    return pool.preparedQuery(TROUBLED)
        .execute(Tuple.of(workspaceId, since))
        .map(rows -> {
          Set<UUID> troubled = new HashSet<>();
          rows.forEach(row -> troubled.add(row.getUUID("id")));
          return all.stream()
              .sorted(Comparator.comparing(each -> !troubled.contains(each.id())))
              .toList();
        });
  }

  private Future<Map<UUID, Made>> made(UUID workspaceId, List<Endpoint> endpoints, UUID[] ids) {
    return pool.preparedQuery(NEWEST)
        .execute(Tuple.of(workspaceId))
        .compose(newest -> {
          List<UUID> owners = new ArrayList<>();
          List<UUID> deliveries = new ArrayList<>();
          List<LocalDate> owedOn = new ArrayList<>();
          for (Row row : newest) {
            LocalDate day = days.of(row.getOffsetDateTime("entered_at").toInstant());
            for (Endpoint endpoint : endpoints) {
              if (row.getLong("position") > endpoint.createdPosition()) {
                owners.add(endpoint.id());
                deliveries.add(DeliveryId.of(endpoint.id(), row.getUUID("capture_id")));
                owedOn.add(day);
              }
            }
          }
          return pool.preparedQuery(ATTEMPTS)
              .execute(
                  Tuple.tuple()
                      .addArrayOfUUID(ids)
                      .addArrayOfUUID(owners.toArray(UUID[]::new))
                      .addArrayOfUUID(deliveries.toArray(UUID[]::new))
                      .addArrayOfLocalDate(owedOn.toArray(LocalDate[]::new)));
        })
        .map(rows -> {
          Map<UUID, Made> made = new HashMap<>();
          rows.forEach(row -> made.put(row.getUUID("endpoint_id"), made(row)));
          return made;
        });
  }

  private static Made made(Row row) {
    OffsetDateTime lastSuccess = row.getOffsetDateTime("last_success");
    return new Made(
        row.getInteger("attempts"),
        row.getInteger("succeeded"),
        row.getInteger("newest"),
        lastSuccess == null ? null : lastSuccess.toInstant(),
        row.getString("last_outcome"));
  }

  private Future<Map<UUID, Ended>> ended(UUID[] ids) {
    return pool.preparedQuery(UNDELIVERED)
        .execute(Tuple.tuple().addArrayOfUUID(ids))
        .compose(rows -> {
          Map<UUID, Ended> ended = new HashMap<>();
          List<Row> ofReplays = new ArrayList<>();
          for (Row row : rows) {
            add(ended, row, row.getLong("captures"));
            if (row.getArrayOfUUIDs("of_replays") != null) {
              ofReplays.add(row);
            }
          }
          return addOfReplays(ended, ofReplays);
        });
  }

  /** Adds the captures of which only replays failed, unless their first delivery was delivered. */
  private Future<Map<UUID, Ended>> addOfReplays(Map<UUID, Ended> ended, List<Row> ofReplays) {
    UUID[] first = ofReplays.stream().flatMap(row -> firsts(row).stream()).toArray(UUID[]::new);
    if (first.length == 0) {
      return Future.succeededFuture(ended);
    }
    return pool.preparedQuery(DELIVERED)
        .execute(Tuple.tuple().addArrayOfUUID(first))
        .map(rows -> {
          Set<UUID> delivered = new HashSet<>();
          rows.forEach(row -> delivered.add(row.getUUID("id")));
          for (Row row : ofReplays) {
            add(ended, row, firsts(row).stream().filter(id -> !delivered.contains(id)).count());
          }
          return ended;
        });
  }

  private static List<UUID> firsts(Row row) {
    UUID endpointId = row.getUUID("endpoint_id");
    return List.of(row.getArrayOfUUIDs("of_replays")).stream()
        .map(captureId -> DeliveryId.of(endpointId, captureId))
        .toList();
  }

  private static void add(Map<UUID, Ended> ended, Row row, long captures) {
    UUID id = row.getUUID("endpoint_id");
    ended.put(id, ended.getOrDefault(id, Ended.NOTHING).plus(row.getString("state"), captures));
  }

  private static Map<UUID, EndpointHealth> healths(
      List<Endpoint> endpoints, Map<UUID, Made> made, Map<UUID, Ended> ended) {
    Map<UUID, EndpointHealth> healths = new HashMap<>();
    for (Endpoint endpoint : endpoints) {
      Made attempts = made.getOrDefault(endpoint.id(), Made.NOTHING);
      Ended undelivered = ended.getOrDefault(endpoint.id(), Ended.NOTHING);
      healths.put(
          endpoint.id(),
          new EndpointHealth(
              EndpointHealth.judge(
                  endpoint.paused(), attempts.attempts(), attempts.succeeded(), attempts.newest()),
              attempts.attempts(),
              attempts.succeeded(),
              attempts.lastSuccess(),
              attempts.lastOutcome(),
              Math.min(COUNTED_MAX, undelivered.failed()),
              Math.min(COUNTED_MAX, undelivered.skipped()),
              undelivered.failed() >= COUNTED_MAX || undelivered.skipped() >= COUNTED_MAX));
    }
    return healths;
  }
}
