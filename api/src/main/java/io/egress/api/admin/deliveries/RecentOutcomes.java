package io.egress.api.admin.deliveries;

import io.egress.webhook.delivery.Delivery.Origin;
import io.egress.webhook.deliverylog.DeliveryState;
import io.egress.webhook.deliverylog.LoggedDeliveries;
import io.egress.webhook.deliverylog.LoggedDelivery;
import io.egress.webhook.endpoint.DeliveryId;
import io.egress.webhook.endpoint.Endpoint;
import io.vertx.core.Future;
import io.vertx.sqlclient.Pool;
import io.vertx.sqlclient.Row;
import io.vertx.sqlclient.RowSet;
import io.vertx.sqlclient.Tuple;
import java.time.Duration;
import java.time.Instant;
import java.time.LocalDate;
import java.time.OffsetDateTime;
import java.time.ZoneOffset;
import java.time.temporal.ChronoUnit;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.UUID;
import java.util.function.Predicate;
import java.util.stream.IntStream;
import org.jspecify.annotations.Nullable;

/**
 * The outcomes of an endpoint's captures of the last 24 hours, grouped by the hour in which they
 * entered the stream.
 *
 * <p>The cost is bounded, whatever the number of captures. The captures of an hour are the
 * difference of two positions. Failed and retrying deliveries are counted in the index of
 * undelivered ones. Deliveries without a log entry, because their first attempt is still to come,
 * have no index: in hours with more captures than are looked up, their share is estimated from a
 * sample. The rest was delivered. If there are more rows than the bound allows to count, all shares
 * are estimated.
 */
public final class RecentOutcomes {
  public static final int HOURS = 24;

  /** Captures sampled per hour. */
  public static final int LOOKED_UP_MAX = 20;

  /** Log rows counted per endpoint. */
  public static final int COUNTED_MAX = 10_000;

  /** Deliveries looked up per statement. */
  private static final int CHUNK = 2_000;

  private static final String POSITIONS =
      """
      select stream_position_before($1, t) as position
      from unnest($2::timestamptz[]) with ordinality as u(t, n) order by n
      """;

  private static final String CAPTURES =
      """
      select s.position, s.capture_id, s.entered_at from unnest($2::bigint[]) as u(position) cross join lateral (
        select position, capture_id, entered_at from stream
        where workspace_id = $1 and position = u.position limit 1) as s
      """;

  /** What replays have done about a capture: 'delivered', 'pending', or null. */
  private static final String AGAIN =
      """
      select case when bool_or(state = 'delivered') then 'delivered'
        when bool_or(state = 'pending') then 'pending' end as state
      from deliveries
      where endpoint_id = %s and position = %s and replay_id is not null\
      """;

  /**
   * First deliveries, with what replays have done since. The repeated condition is that of the
   * partial index, which excludes delivered rows.
   */
  private static final String UNDELIVERED =
      """
      select e.id, width_bucket(d.position, $2::bigint[]) as hour, coalesce(r.state, d.state) as state,
        count(*) as deliveries
      from unnest($1::uuid[]) as e(id) cross join lateral (
        select position, state from deliveries
        where endpoint_id = e.id and state = any($5::text[]) and state <> 'delivered'
          and position > $3 and position <= $4 and day >= $6 and replay_id is null
        limit $7) as d
      left join lateral (%s) as r on true
      group by 1, 2, 3
      """
          .formatted(AGAIN.formatted("e.id", "d.position"));

  private static final String AGAIN_EACH =
      """
      select u.nth, r.state from unnest($1::uuid[], $2::bigint[]) with ordinality as u(endpoint_id, position, nth)
      cross join lateral (%s) as r
      where r.state is not null
      """
          .formatted(AGAIN.formatted("u.endpoint_id", "u.position"));

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

  /**
   * One hour.
   *
   * @param waiting deliveries without an attempt
   * @param retrying failed deliveries that will be retried
   * @param estimated whether some of the counts are estimates
   */
  public record Hour(
      Instant begin,
      long delivered,
      long waiting,
      long retrying,
      long exhausted,
      long skipped,
      boolean estimated) {
    public long owed() {
      return delivered + waiting + retrying + exhausted + skipped;
    }
  }

  /**
   * The last 24 hours of an endpoint.
   *
   * @param retrying all deliveries that will be retried, of any age; at most {@link #COUNTED_MAX}
   * @param oldest since when the oldest unfinished delivery is owed, of those examined
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

    boolean contains(long position) {
      return position > above && position <= upTo;
    }
  }

  private record Sample(long position, UUID captureId, Instant enteredAt) {}

  private record Counted(UUID endpointId, int hour, DeliveryState state) {}

  private record Pending(long deliveries, Instant oldest) {}

  private final Pool pool;
  private final LoggedDeliveries log;
  private final int countedMax;

  public RecentOutcomes(Pool pool, LoggedDeliveries log) {
    this(pool, log, COUNTED_MAX);
  }

  RecentOutcomes(Pool pool, LoggedDeliveries log, int countedMax) {
    this.countedMax = countedMax;
    this.pool = pool;
    this.log = log;
  }

  /** Keyed by endpoint id. {@code endpoints} belong to the workspace. */
  public Future<Map<UUID, Day>> of(UUID workspaceId, List<Endpoint> endpoints, Instant now) {
    if (endpoints.isEmpty()) {
      return Future.succeededFuture(Map.of());
    }
    return spans(workspaceId, now)
        .compose(spans ->
            samples(workspaceId, spans)
                .compose(samples -> lookUp(endpoints, samples))
                .compose(looked ->
                    undelivered(endpoints, spans)
                        .compose(counted ->
                            pending(endpoints)
                                .map(
                                    pending -> days(endpoints, spans, looked, counted, pending)))));
  }

  private Future<List<Span>> spans(UUID workspaceId, Instant now) {
    Instant first = now.truncatedTo(ChronoUnit.HOURS).minus(Duration.ofHours(HOURS - 1L));
    OffsetDateTime[] bounds =
        IntStream.rangeClosed(0, HOURS)
            .mapToObj(hour -> first.plus(Duration.ofHours(hour)).atOffset(ZoneOffset.UTC))
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

  /** Spreads the samples evenly over each hour and includes the newest capture. */
  private Future<List<Sample>> samples(UUID workspaceId, List<Span> spans) {
    List<Long> positions = new ArrayList<>();
    for (Span span : spans) {
      long captures = span.upTo() - span.above();
      long taken = Math.min(captures, LOOKED_UP_MAX);
      for (long i = 0; i < taken; i++) {
        positions.add(span.upTo() - i * captures / taken);
      }
    }
    return pool.preparedQuery(CAPTURES)
        .execute(Tuple.of(workspaceId, (Object) positions.toArray(Long[]::new)))
        .map(rows -> {
          List<Sample> samples = new ArrayList<>(rows.size());
          for (Row row : rows) {
            samples.add(
                new Sample(
                    row.getLong("position"),
                    row.getUUID("capture_id"),
                    row.getOffsetDateTime("entered_at").toInstant()));
          }
          return samples;
        });
  }

  /** The samples owed to each endpoint, with their log entries. */
  private Future<List<LoggedDelivery>> lookUp(List<Endpoint> endpoints, List<Sample> samples) {
    List<LoggedDelivery> owed = new ArrayList<>();
    for (Endpoint endpoint : endpoints) {
      samples.stream()
          .filter(sample -> sample.position() > endpoint.createdPosition())
          .map(sample ->
              LoggedDelivery.withoutOutcome(
                  DeliveryId.of(endpoint.id(), sample.captureId()),
                  endpoint.id(),
                  sample.captureId(),
                  sample.position(),
                  Origin.LIVE,
                  sample.enteredAt()))
          .forEach(owed::add);
    }
    return complete(owed, new ArrayList<>(owed.size()));
  }

  private Future<List<LoggedDelivery>> complete(
      List<LoggedDelivery> owed, List<LoggedDelivery> looked) {
    if (looked.size() == owed.size()) {
      return Future.succeededFuture(looked);
    }
    int end = Math.min(owed.size(), looked.size() + CHUNK);
    return log.complete(owed.subList(looked.size(), end))
        .compose(this::withReplays)
        .compose(completed -> {
          looked.addAll(completed);
          return complete(owed, looked);
        });
  }

  /** The deliveries, in the states that replays of their captures have reached. */
  private Future<List<LoggedDelivery>> withReplays(List<LoggedDelivery> first) {
    List<LoggedDelivery> failed =
        first.stream()
            .filter(each -> each.updatedAt() != null && each.state() != DeliveryState.DELIVERED)
            .toList();
    if (failed.isEmpty()) {
      return Future.succeededFuture(first);
    }
    return pool.preparedQuery(AGAIN_EACH)
        .execute(
            Tuple.tuple()
                .addArrayOfUUID(
                    failed.stream().map(LoggedDelivery::endpointId).toArray(UUID[]::new))
                .addArrayOfLong(failed.stream().map(LoggedDelivery::position).toArray(Long[]::new)))
        .map(rows -> {
          Map<UUID, DeliveryState> again = new HashMap<>();
          for (Row row : rows) {
            again.put(
                failed.get((int) (row.getLong("nth") - 1)).id(),
                DeliveryState.find(row.getString("state")).orElseThrow());
          }
          return first.stream()
              .map(each -> each.in(again.getOrDefault(each.id(), each.state())))
              .toList();
        });
  }

  private Future<Map<Counted, Long>> undelivered(List<Endpoint> endpoints, List<Span> spans) {
    Long[] bounds = spans.stream().map(span -> span.above() + 1).toArray(Long[]::new);
    Span first = spans.get(0);
    return pool.preparedQuery(UNDELIVERED)
        .execute(
            Tuple.of(
                ids(endpoints),
                bounds,
                first.above(),
                spans.get(spans.size() - 1).upTo(),
                new String[] {
                  DeliveryState.PENDING.word(),
                  DeliveryState.EXHAUSTED.word(),
                  DeliveryState.SKIPPED.word()
                },
                LocalDate.ofInstant(first.begin(), ZoneOffset.UTC),
                (long) countedMax))
        .map(RecentOutcomes::counted);
  }

  private static Map<Counted, Long> counted(RowSet<Row> rows) {
    Map<Counted, Long> counted = new HashMap<>();
    for (Row row : rows) {
      counted.put(
          new Counted(
              row.getUUID("id"),
              row.getInteger("hour") - 1,
              DeliveryState.find(row.getString("state")).orElseThrow()),
          row.getLong("deliveries"));
    }
    return counted;
  }

  private Future<Map<UUID, Pending>> pending(List<Endpoint> endpoints) {
    return pool.preparedQuery(PENDING)
        .execute(Tuple.tuple().addArrayOfUUID(ids(endpoints)))
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

  private Map<UUID, Day> days(
      List<Endpoint> endpoints,
      List<Span> spans,
      List<LoggedDelivery> looked,
      Map<Counted, Long> counted,
      Map<UUID, Pending> pending) {
    Map<UUID, List<LoggedDelivery>> lookedUp = new HashMap<>();
    looked.forEach(
        each -> lookedUp.computeIfAbsent(each.endpointId(), _ -> new ArrayList<>()).add(each));
    Map<UUID, Long> undelivered = new HashMap<>();
    counted.forEach((what, count) -> undelivered.merge(what.endpointId(), count, Long::sum));
    Map<UUID, Day> days = new HashMap<>();
    for (Endpoint endpoint : endpoints) {
      List<LoggedDelivery> own = lookedUp.getOrDefault(endpoint.id(), List.of());
      boolean isCounted = undelivered.getOrDefault(endpoint.id(), 0L) < countedMax;
      List<Hour> hours = new ArrayList<>(HOURS);
      for (int i = 0; i < HOURS; i++) {
        Span span = spans.get(i);
        Share share = Share.of(span.owedTo(endpoint), own, span);
        hours.add(isCounted ? hour(endpoint, span, i, share, counted) : hour(span, share));
      }
      Pending retried = pending.get(endpoint.id());
      days.put(
          endpoint.id(),
          new Day(
              hours,
              retried == null ? 0 : retried.deliveries(),
              oldest(own, retried == null ? null : retried.oldest())));
    }
    return days;
  }

  /** The number of an hour's captures that were looked up, and of those that were owed. */
  private record Share(long owed, List<LoggedDelivery> looked) {
    static Share of(long owed, List<LoggedDelivery> own, Span span) {
      return new Share(owed, own.stream().filter(each -> span.contains(each.position())).toList());
    }

    boolean isAll() {
      return looked.size() >= owed;
    }

    long waiting() {
      return of(each -> each.updatedAt() == null);
    }

    long in(DeliveryState state) {
      return of(each -> each.updatedAt() != null && each.state() == state);
    }

    private long of(Predicate<LoggedDelivery> kind) {
      return looked.isEmpty()
          ? 0
          : Math.round((double) owed * looked.stream().filter(kind).count() / looked.size());
    }
  }

  private static Hour hour(
      Endpoint endpoint, Span span, int index, Share share, Map<Counted, Long> counted) {
    long waiting = share.waiting();
    long retrying = count(counted, endpoint, index, DeliveryState.PENDING);
    long exhausted = count(counted, endpoint, index, DeliveryState.EXHAUSTED);
    long skipped = count(counted, endpoint, index, DeliveryState.SKIPPED);
    return new Hour(
        span.begin(),
        Math.max(0, share.owed() - waiting - retrying - exhausted - skipped),
        waiting,
        retrying,
        exhausted,
        skipped,
        waiting > 0 && !share.isAll());
  }

  private static Hour hour(Span span, Share share) {
    return new Hour(
        span.begin(),
        share.in(DeliveryState.DELIVERED),
        share.waiting(),
        share.in(DeliveryState.PENDING),
        share.in(DeliveryState.EXHAUSTED),
        share.in(DeliveryState.SKIPPED),
        !share.isAll());
  }

  private static long count(
      Map<Counted, Long> counted, Endpoint endpoint, int hour, DeliveryState state) {
    return counted.getOrDefault(new Counted(endpoint.id(), hour, state), 0L);
  }

  private static @Nullable Instant oldest(List<LoggedDelivery> looked, @Nullable Instant retried) {
    Set<Instant> all = new HashSet<>();
    looked.stream()
        .filter(each -> each.updatedAt() == null)
        .map(LoggedDelivery::owedAt)
        .forEach(all::add);
    if (retried != null) {
      all.add(retried);
    }
    return all.stream().min(Instant::compareTo).orElse(null);
  }

  private static UUID[] ids(List<Endpoint> endpoints) {
    return endpoints.stream().map(Endpoint::id).toArray(UUID[]::new);
  }
}
