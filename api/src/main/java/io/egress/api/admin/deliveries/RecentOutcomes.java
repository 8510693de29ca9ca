package io.egress.api.admin.deliveries;

import static java.util.Objects.requireNonNull;

import io.egress.platform.database.Rows;
import io.egress.webhook.delivery.Delivery;
import io.egress.webhook.deliverylog.DeliveryState;
import io.egress.webhook.endpoint.Endpoint;
import io.vertx.core.json.JsonArray;
import io.vertx.core.json.JsonObject;
import io.vertx.sqlclient.Pool;
import io.vertx.sqlclient.Row;
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
import org.jspecify.annotations.Nullable;

/**
 * The outcomes of an endpoint's captures of the last 24 hours, grouped by the hour in which they
 * entered the stream.
 *
 * <p>Nothing is estimated. The captures of an hour are the difference of two positions, and {@code
 * endpoint_hours} has the number of their deliveries in each state; those in none of them wait for
 * their first attempt. What replays have done about captures that were not delivered is looked up
 * in the log, for the newest {@link #COUNTED_MAX} of their deliveries. What was erased undelivered
 * is left out.
 */
public final class RecentOutcomes {
  public static final int HOURS = 24;

  /** Rows of the log that are read per endpoint. */
  public static final int COUNTED_MAX = 10_000;

  private static final String COUNTED =
      """
      select jsonb_agg(to_jsonb(h)) as hours from (
        select hour, pending, delivered, exhausted, skipped from endpoint_hours
        where endpoint_id = e.id and hour >= $2[1] limit %d) as h\
      """
          .formatted(HOURS + 1);

  /**
   * Captures whose first delivery was not delivered, and of which replays have delivered one or
   * have one on its way. The repeated conditions are those of the partial indexes.
   */
  private static final String AGAIN =
      """
      select jsonb_agg(to_jsonb(g)) as again from (
        select width_bucket(r.position, s.firsts) as hour, d.state,
          case when r.is_delivered then 'delivered' else 'pending' end as again, count(*) as captures
        from (
          select position, bool_or(state = 'delivered') as is_delivered from (
            select position, state from deliveries
            where endpoint_id = e.id and replay_id is not null
              and position > s.positions[1] and position <= s.positions[%d] and day >= $4
            order by position desc limit %d) as replayed
          where state in ('delivered', 'pending') group by position) as r
        cross join lateral (
          select state from deliveries
          where endpoint_id = e.id and state in ('pending', 'exhausted', 'skipped') and state <> 'delivered'
            and position = r.position and day >= $4 and origin = 'live' limit 1) as d
        group by 1, 2, 3) as g\
      """
          .formatted(HOURS + 1, COUNTED_MAX);

  /** Captures that were given up or skipped and then erased: there is nothing left to deliver. */
  private static final String ERASED =
      """
      select jsonb_agg(to_jsonb(g)) as erased from (
        select width_bucket(d.position, s.firsts) as hour, d.state, count(*) as captures
        from (
          select position, capture_id, state from deliveries
          where endpoint_id = e.id and state in ('exhausted', 'skipped') and state <> 'delivered'
            and position > s.positions[1] and position <= s.positions[%d] and day >= $4 and origin = 'live'
          order by position desc limit %d) as d
        where exists (select from erasures where capture_id = d.capture_id)
          and not exists (
            select from deliveries r where r.endpoint_id = e.id and r.position = d.position
              and r.replay_id is not null and r.state in ('delivered', 'pending'))
        group by 1, 2) as g\
      """
          .formatted(HOURS + 1, COUNTED_MAX);

  /** The positions are those before each of the hours $2; the firsts those of their captures. */
  private static final String OUTCOMES =
      """
      with spans as materialized (
        select array_agg(position order by n) as positions,
          array_agg(position + 1 order by n) filter (where n <= %d) as firsts
        from (
          select n, stream_position_before($1, t) as position
          from unnest($2::timestamptz[]) with ordinality as u(t, n)) as bounds)
      select e.id, s.positions, h.hours, a.again, x.erased
      from spans s cross join unnest($3::uuid[]) as e(id)
      cross join lateral (%s) as h cross join lateral (%s) as a cross join lateral (%s) as x
      """
          .formatted(HOURS, COUNTED, AGAIN, ERASED);

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

    /** The same hour of both. */
    public Hour plus(Hour other) {
      return new Hour(
          begin,
          delivered + other.delivered,
          waiting + other.waiting,
          retrying + other.retrying,
          exhausted + other.exhausted,
          skipped + other.skipped);
    }
  }

  /** The last 24 hours of an endpoint. */
  public record Day(List<Hour> hours) {
    public Day {
      hours = List.copyOf(hours);
    }
  }

  /** {@code above} and {@code upTo} are the positions of an hour's captures. */
  private record Span(Instant begin, long above, long upTo) {
    boolean contains(Delivery delivery) {
      return delivery.position() > above && delivery.position() <= upTo;
    }
  }

  /** The deliveries of an endpoint, by hour. */
  private static final class Counts {
    private final Map<Instant, Map<DeliveryState, Long>> numbers = new HashMap<>();
    private final Map<Instant, Long> erased = new HashMap<>();

    private Counts(Row row, List<Span> spans) {
      for (JsonObject hour : objects(row.getJsonArray("hours"))) {
        Instant begin = OffsetDateTime.parse(hour.getString("hour")).toInstant();
        for (DeliveryState state : DeliveryState.OF_CAPTURES) {
          add(begin, state, hour.getLong(state.word()));
        }
      }
      for (JsonObject again : objects(row.getJsonArray("again"))) {
        Instant begin = spans.get(again.getInteger("hour") - 1).begin();
        long captures = again.getLong("captures");
        add(begin, state(again, "state"), -captures);
        add(begin, state(again, "again"), captures);
      }
      for (JsonObject gone : objects(row.getJsonArray("erased"))) {
        Instant begin = spans.get(gone.getInteger("hour") - 1).begin();
        long captures = gone.getLong("captures");
        add(begin, state(gone, "state"), -captures);
        erased.merge(begin, captures, Long::sum);
      }
    }

    private static List<JsonObject> objects(@Nullable JsonArray array) {
      return array == null ? List.of() : array.stream().map(JsonObject.class::cast).toList();
    }

    private static DeliveryState state(JsonObject counted, String name) {
      return DeliveryState.find(counted.getString(name)).orElseThrow();
    }

    private void add(Instant hour, DeliveryState state, long number) {
      numbers
          .computeIfAbsent(hour, _ -> new EnumMap<>(DeliveryState.class))
          .merge(state, number, Long::sum);
    }

    /** {@code untried} is null of an endpoint without a filter. */
    Hour hour(Endpoint endpoint, Span span, FilteredWaiting.@Nullable Untried untried) {
      Map<DeliveryState, Long> states = numbers.getOrDefault(span.begin(), Map.of());
      long known =
          states.values().stream().mapToLong(Long::longValue).sum()
              + erased.getOrDefault(span.begin(), 0L);
      return new Hour(
          span.begin(),
          states.getOrDefault(DeliveryState.DELIVERED, 0L),
          untried == null
              ? Math.max(0, endpoint.owed().liveBetween(span.above(), span.upTo()) - known)
              : untried.captures().stream().filter(span::contains).count(),
          states.getOrDefault(DeliveryState.PENDING, 0L),
          states.getOrDefault(DeliveryState.EXHAUSTED, 0L),
          states.getOrDefault(DeliveryState.SKIPPED, 0L));
    }
  }

  /**
   * Of endpoints that are sent the stream itself: how many captures between two positions each has
   * accepted, since a day. What a filter does not want counts until it is passed over.
   */
  private static final String OF_STREAMS =
      """
      select t.endpoint_id as id, t.read_up_to, t.failing_since is not null as fails, array(
          select (
            select coalesce(sum(upper(part) - lower(part)), 0)::bigint
            from unnest(r.places * int8multirange(int8range(($2::bigint[])[n], ($2::bigint[])[n + 1], '(]'))) as part)
          from generate_series(1, cardinality($2::bigint[]) - 1) as n order by n) as delivered
      from turns t cross join lateral (
        select coalesce(range_agg(part), '{}') as places
        from receipts k cross join unnest(k.delivered) as part
        where k.endpoint_id = t.endpoint_id and k.day >= $3) as r
      where t.endpoint_id = any($1)
      """;

  private static Day day(Row stream, List<Span> spans) {
    Long[] delivered = stream.getArrayOfLongs("delivered");
    long passed = stream.getLong("read_up_to");
    boolean fails = stream.getBoolean("fails");
    List<Hour> hours = new ArrayList<>();
    for (Span span : spans) {
      long left = Math.max(0, span.upTo() - Math.max(span.above(), passed));
      long accepted = delivered[hours.size()];
      hours.add(new Hour(span.begin(), accepted, fails ? 0 : left, fails ? left : 0, 0, 0));
    }
    return new Day(hours);
  }

  private final Pool pool;

  public RecentOutcomes(Pool pool) {
    this.pool = pool;
  }

  /** Keyed by endpoint id. {@code endpoints} belong to the workspace. */
  public Map<UUID, Day> of(UUID workspaceId, List<Endpoint> endpoints, Instant now) {
    if (endpoints.isEmpty()) {
      return Map.of();
    }
    Instant first = now.truncatedTo(ChronoUnit.HOURS).minus(Duration.ofHours(HOURS - 1L));
    OffsetDateTime[] bounds =
        IntStream.rangeClosed(0, HOURS)
            .mapToObj(hour -> first.plus(Duration.ofHours(hour)).atOffset(ZoneOffset.UTC))
            .toArray(OffsetDateTime[]::new);
    UUID[] ids = endpoints.stream().map(Endpoint::id).toArray(UUID[]::new);
    LocalDate day = LocalDate.ofInstant(first, ZoneOffset.UTC);
    Map<UUID, Row> rows =
        Rows.byId(Rows.of(pool, OUTCOMES, workspaceId, bounds, ids, day), row -> row);
    List<Span> spans = spans(bounds, requireNonNull(rows.get(ids[0])));
    Map<UUID, FilteredWaiting.Untried> filtered = new FilteredWaiting(pool).of(endpoints);
    Map<UUID, Day> days = ofStreams(endpoints, requireNonNull(rows.get(ids[0])), day, spans);
    for (Endpoint endpoint : endpoints) {
      if (endpoint.paging().isStream()) {
        continue;
      }
      Counts counts = new Counts(requireNonNull(rows.get(endpoint.id())), spans);
      FilteredWaiting.@Nullable Untried untried = filtered.get(endpoint.id());
      days.put(
          endpoint.id(),
          new Day(spans.stream().map(span -> counts.hour(endpoint, span, untried)).toList()));
    }
    return days;
  }

  private Map<UUID, Day> ofStreams(
      List<Endpoint> endpoints, Row bounds, LocalDate since, List<Span> spans) {
    UUID[] ids = Endpoint.idsOfStreams(endpoints);
    Long[] positions = bounds.getArrayOfLongs("positions");
    return ids.length == 0
        ? new HashMap<>()
        : new HashMap<>(
            Rows.byId(Rows.of(pool, OF_STREAMS, ids, positions, since), row -> day(row, spans)));
  }

  private static List<Span> spans(OffsetDateTime[] bounds, Row row) {
    Long[] positions = row.getArrayOfLongs("positions");
    return IntStream.range(0, HOURS)
        .mapToObj(hour -> new Span(bounds[hour].toInstant(), positions[hour], positions[hour + 1]))
        .toList();
  }
}
