package io.egress.api.admin.deliveries;

import io.egress.webhook.deliverylog.DeliveryState;
import io.egress.webhook.deliverylog.LogDays;
import io.egress.webhook.endpoint.DeliveryId;
import io.egress.webhook.endpoint.Endpoint;
import io.vertx.core.Future;
import io.vertx.core.json.JsonObject;
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

  /** Every row with attempts has at least one of the newest. */
  private static final String ATTEMPTS =
      """
      select e.id as endpoint_id, n.newest, s.last_success_at, f.last_failure_at, f.last_failure
      from unnest($1::uuid[]) as e(id)
      cross join lateral (
        select string_agg(newest, '' order by hour) as newest from (
          select hour, newest from endpoint_hours where endpoint_id = e.id and newest <> ''
          order by hour desc limit %d) as newest) as n
      left join lateral (
        select last_success_at from endpoint_hours
        where endpoint_id = e.id and last_success_at is not null order by hour desc limit 1) as s on true
      left join lateral (
        select last_failure_at, last_failure from endpoint_hours
        where endpoint_id = e.id and last_failure_at is not null order by hour desc limit 1) as f on true
      where n.newest is not null
      """
          .formatted(EndpointHealth.JUDGED);

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

  /**
   * The newest attempts.
   *
   * @param recovered successes among the newest {@link EndpointHealth#RECOVERED}
   */
  private record Made(
      int attempts,
      int succeeded,
      int recovered,
      @Nullable Instant lastSuccess,
      @Nullable String lastOutcome) {
    static final Made NOTHING = new Made(0, 0, 0, null, null);

    static Made of(Row row) {
      String newest = last(row.getString("newest"), EndpointHealth.JUDGED);
      Instant success = instant(row, "last_success_at");
      Instant failure = instant(row, "last_failure_at");
      return new Made(
          newest.length(),
          successes(newest),
          successes(last(newest, EndpointHealth.RECOVERED)),
          success,
          failure == null || (success != null && success.isAfter(failure))
              ? DeliveryState.DELIVERED.word()
              : outcome(row.getJsonObject("last_failure")));
    }

    private static String last(String outcomes, int max) {
      return outcomes.substring(Math.max(0, outcomes.length() - max));
    }

    private static int successes(String outcomes) {
      return (int) outcomes.chars().filter(each -> each == '1').count();
    }

    private static String outcome(JsonObject failure) {
      String word = failure.getString("outcome");
      Integer status = failure.getInteger("status");
      return status == null ? word : word + " " + status;
    }

    private static @Nullable Instant instant(Row row, String column) {
      OffsetDateTime time = row.getOffsetDateTime(column);
      return time == null ? null : time.toInstant();
    }
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

  /** Keyed by endpoint id. */
  public Future<Map<UUID, EndpointHealth>> of(List<Endpoint> endpoints) {
    if (endpoints.isEmpty()) {
      return Future.succeededFuture(Map.of());
    }
    UUID[] ids = endpoints.stream().map(Endpoint::id).toArray(UUID[]::new);
    return made(ids).compose(made -> ended(ids).map(ended -> healths(endpoints, made, ended)));
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

  private Future<Map<UUID, Made>> made(UUID[] ids) {
    return pool.preparedQuery(ATTEMPTS)
        .execute(Tuple.tuple().addArrayOfUUID(ids))
        .map(rows -> {
          Map<UUID, Made> made = new HashMap<>();
          rows.forEach(row -> made.put(row.getUUID("endpoint_id"), Made.of(row)));
          return made;
        });
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
                  endpoint.paused(),
                  attempts.attempts(),
                  attempts.succeeded(),
                  attempts.recovered()),
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
