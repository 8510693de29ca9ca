package io.egress.api.admin.deliveries;

import io.egress.webhook.deliverylog.DeliveryState;
import io.egress.webhook.endpoint.Endpoint;
import io.vertx.core.Future;
import io.vertx.sqlclient.Pool;
import io.vertx.sqlclient.Row;
import io.vertx.sqlclient.Tuple;
import java.time.Duration;
import java.time.Instant;
import java.time.LocalDate;
import java.time.OffsetDateTime;
import java.time.ZoneOffset;
import java.time.temporal.ChronoUnit;
import java.util.ArrayList;
import java.util.EnumMap;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.UUID;
import java.util.stream.IntStream;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/**
 * The outcomes of an endpoint's captures of the last 24 hours, grouped by the hour in which they
 * entered the stream.
 *
 * <p>Nothing is estimated. The captures of an hour are the difference of two positions, and {@code
 * endpoint_hours} has the number of their deliveries in each state; those in none of them wait for
 * their first attempt. What replays have done about captures that were not delivered is looked up
 * in the log, for the newest {@link #COUNTED_MAX} of their deliveries.
 */
public final class RecentOutcomes {
  public static final int HOURS = 24;

  /** Rows of the log that are read per endpoint. */
  public static final int COUNTED_MAX = 10_000;

  private static final String POSITIONS =
      """
      select stream_position_before($1, t) as position
      from unnest($2::timestamptz[]) with ordinality as u(t, n) order by n
      """;

  private static final String COUNTED =
      """
      select h.* from unnest($1::uuid[]) as e(id) cross join lateral (
        select endpoint_id, hour, pending, delivered, exhausted, skipped from endpoint_hours
        where endpoint_id = e.id and hour >= $2 limit %d) as h
      """
          .formatted(HOURS + 1);

  /**
   * Captures whose first delivery was not delivered, and of which replays have delivered one or
   * have one on its way. The repeated conditions are those of the partial indexes.
   */
  private static final String AGAIN =
      """
      select e.id, width_bucket(r.position, $2::bigint[]) as hour, d.state,
        case when r.is_delivered then 'delivered' else 'pending' end as again, count(*) as captures
      from unnest($1::uuid[]) as e(id) cross join lateral (
        select position, bool_or(state = 'delivered') as is_delivered from (
          select position, state from deliveries
          where endpoint_id = e.id and replay_id is not null and position > $3 and position <= $4 and day >= $5
          order by position desc limit %d) as replayed
        where state in ('delivered', 'pending') group by position) as r
      cross join lateral (
        select state from deliveries
        where endpoint_id = e.id and state in ('pending', 'exhausted', 'skipped') and state <> 'delivered'
          and position = r.position and day >= $5 and origin = 'live' limit 1) as d
      group by 1, 2, 3, 4
      """
          .formatted(COUNTED_MAX);

  /** Captures still to be delivered; not those that a replay has delivered in the meantime. */
  private static final String PENDING =
      """
      select e.id, count(distinct d.position) as deliveries, min(d.owed_at) as oldest
      from unnest($1::uuid[]) as e(id) cross join lateral (
        select position, owed_at from deliveries
        where endpoint_id = e.id and state = 'pending' and state <> 'delivered'
        order by position limit %d) as d
      where not exists (
        select from deliveries r where r.endpoint_id = e.id and r.position = d.position
          and r.replay_id is not null and r.state = 'delivered')
      group by e.id
      """
          .formatted(COUNTED_MAX);

  private static final String ENTERED =
      """
      select u.id, s.entered_at from unnest($2::uuid[], $3::bigint[]) as u(id, position) cross join lateral (
        select entered_at from stream where workspace_id = $1 and position = u.position limit 1) as s
      """;

  /**
   * One hour.
   *
   * @param waiting deliveries without an attempt
   * @param retrying failed deliveries that will be retried
   */
  public record Hour(
      Instant begin, long delivered, long waiting, long retrying, long exhausted, long skipped) {
    public long owed() {
      return delivered + waiting + retrying + exhausted + skipped;
    }
  }

  /**
   * The last 24 hours of an endpoint.
   *
   * @param retrying all deliveries that will be retried, of any age; at most {@link #COUNTED_MAX}
   * @param oldest since when the oldest unfinished delivery is owed, if first attempts are made in
   *     the stream's order
   */
  public record Day(List<Hour> hours, long retrying, @Nullable Instant oldest) {
    public Day {
      hours = List.copyOf(hours);
    }
  }

  /** {@code above} and {@code upTo} are the positions of an hour's captures. */
  private record Span(Instant begin, long above, long upTo) {
    long owedTo(Endpoint endpoint) {
      return Math.max(0, upTo - Math.max(above, endpoint.createdPosition()));
    }
  }

  private record Place(UUID endpointId, Instant hour) {}

  private record Pending(long deliveries, Instant oldest) {}

  private static final class Counts {
    private final Map<Place, Map<DeliveryState, Long>> numbers = new HashMap<>();

    void add(Place place, DeliveryState state, long number) {
      numbers
          .computeIfAbsent(place, _ -> new EnumMap<>(DeliveryState.class))
          .merge(state, number, Long::sum);
    }

    Hour hour(Endpoint endpoint, Span span) {
      Map<DeliveryState, Long> states =
          numbers.getOrDefault(new Place(endpoint.id(), span.begin()), Map.of());
      long known = states.values().stream().mapToLong(Long::longValue).sum();
      return new Hour(
          span.begin(),
          states.getOrDefault(DeliveryState.DELIVERED, 0L),
          Math.max(0, span.owedTo(endpoint) - known),
          states.getOrDefault(DeliveryState.PENDING, 0L),
          states.getOrDefault(DeliveryState.EXHAUSTED, 0L),
          states.getOrDefault(DeliveryState.SKIPPED, 0L));
    }
  }

  private final Pool pool;

  public RecentOutcomes(Pool pool) {
    this.pool = pool;
  }

  /** Keyed by endpoint id. {@code endpoints} belong to the workspace. */
  public Future<Map<UUID, Day>> of(UUID workspaceId, List<Endpoint> endpoints, Instant now) {
    if (endpoints.isEmpty()) {
      return Future.succeededFuture(Map.of());
    }
    UUID[] ids = endpoints.stream().map(Endpoint::id).toArray(UUID[]::new);
    return spans(workspaceId, now)
        .compose(spans ->
            counts(ids, spans)
                .compose(counts -> {
                  Map<UUID, List<Hour>> hours = new HashMap<>();
                  for (Endpoint endpoint : endpoints) {
                    hours.put(
                        endpoint.id(),
                        spans.stream().map(span -> counts.hour(endpoint, span)).toList());
                  }
                  return oldestWaiting(workspaceId, spans, hours)
                      .compose(oldest -> pending(ids).map(pending -> days(hours, oldest, pending)));
                }));
  }

  private Future<List<Span>> spans(UUID workspaceId, Instant now) {
    Instant first = now.truncatedTo(ChronoUnit.HOURS).minus(Duration.ofHours(HOURS - 1L));
    OffsetDateTime[] bounds =
        IntStream.rangeClosed(0, HOURS)
            .mapToObj(hour -> utc(first.plus(Duration.ofHours(hour))))
            .toArray(OffsetDateTime[]::new);
    return pool.preparedQuery(POSITIONS)
        .execute(Tuple.of(workspaceId, (Object) bounds))
        .map(rows -> {
          List<Long> positions = new ArrayList<>(HOURS + 1);
          rows.forEach(row -> positions.add(row.getLong("position")));
          return IntStream.range(0, HOURS)
              .mapToObj(hour ->
                  new Span(bounds[hour].toInstant(), positions.get(hour), positions.get(hour + 1)))
              .toList();
        });
  }

  private Future<Counts> counts(UUID[] ids, List<Span> spans) {
    Span first = spans.get(0);
    Counts counts = new Counts();
    return pool.preparedQuery(COUNTED)
        .execute(Tuple.of(ids, utc(first.begin())))
        .compose(rows -> {
          for (Row row : rows) {
            Place place =
                new Place(row.getUUID("endpoint_id"), row.getOffsetDateTime("hour").toInstant());
            for (DeliveryState state : DeliveryState.values()) {
              counts.add(place, state, row.getInteger(state.word()));
            }
          }
          return pool.preparedQuery(AGAIN)
              .execute(
                  Tuple.of(
                      ids,
                      spans.stream().map(span -> span.above() + 1).toArray(Long[]::new),
                      first.above(),
                      spans.get(spans.size() - 1).upTo(),
                      LocalDate.ofInstant(first.begin(), ZoneOffset.UTC)));
        })
        .map(rows -> {
          for (Row row : rows) {
            Place place =
                new Place(row.getUUID("id"), spans.get(row.getInteger("hour") - 1).begin());
            counts.add(place, state(row, "state"), -row.getLong("captures"));
            counts.add(place, state(row, "again"), row.getLong("captures"));
          }
          return counts;
        });
  }

  /** Looks up one capture of each endpoint with waiting deliveries. */
  private Future<Map<UUID, Instant>> oldestWaiting(
      UUID workspaceId, List<Span> spans, Map<UUID, List<Hour>> hours) {
    Map<UUID, Long> positions = new HashMap<>();
    hours.forEach((id, each) ->
        IntStream.range(0, HOURS)
            .filter(hour -> each.get(hour).waiting() > 0)
            .findFirst()
            .ifPresent(
                hour -> positions.put(id, spans.get(hour).upTo() - each.get(hour).waiting() + 1)));
    return pool.preparedQuery(ENTERED)
        .execute(
            Tuple.of(
                workspaceId,
                positions.keySet().toArray(UUID[]::new),
                positions.values().toArray(Long[]::new)))
        .map(rows -> {
          Map<UUID, Instant> oldest = new HashMap<>();
          rows.forEach(row ->
              oldest.put(row.getUUID("id"), row.getOffsetDateTime("entered_at").toInstant()));
          return oldest;
        });
  }

  private Future<Map<UUID, Pending>> pending(UUID[] ids) {
    return pool.preparedQuery(PENDING)
        .execute(Tuple.tuple().addArrayOfUUID(ids))
        .map(rows -> {
          Map<UUID, Pending> pending = new HashMap<>();
          for (Row row : rows) {
            pending.put(
                row.getUUID("id"),
                new Pending(
                    row.getLong("deliveries"), row.getOffsetDateTime("oldest").toInstant()));
          }
          return pending;
        });
  }

  private static Map<UUID, Day> days(
      Map<UUID, List<Hour>> hours, Map<UUID, Instant> waiting, Map<UUID, Pending> pending) {
    Map<UUID, Day> days = new HashMap<>();
    hours.forEach((id, each) -> {
      Pending retried = pending.get(id);
      Instant oldest =
          Stream.of(waiting.get(id), retried == null ? null : retried.oldest())
              .flatMap(Stream::ofNullable)
              .min(Instant::compareTo)
              .orElse(null);
      days.put(id, new Day(each, retried == null ? 0 : retried.deliveries(), oldest));
    });
    return days;
  }

  private static DeliveryState state(Row row, String column) {
    return DeliveryState.find(row.getString(column)).orElseThrow();
  }

  private static OffsetDateTime utc(Instant instant) {
    return instant.atOffset(ZoneOffset.UTC);
  }
}
