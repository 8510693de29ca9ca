package io.egress.webhook.deliverylog;

import static java.util.Objects.requireNonNullElse;

import io.egress.platform.database.Rows;
import io.egress.webhook.delivery.Delivery;
import io.egress.webhook.delivery.Delivery.Origin;
import io.egress.webhook.send.Exchanged;
import io.egress.webhook.send.SentRequest;
import io.vertx.core.Future;
import io.vertx.core.buffer.Buffer;
import io.vertx.sqlclient.Row;
import io.vertx.sqlclient.RowIterator;
import io.vertx.sqlclient.RowSet;
import io.vertx.sqlclient.SqlClient;
import io.vertx.sqlclient.Tuple;
import java.time.Duration;
import java.time.Instant;
import java.time.LocalDate;
import java.time.OffsetDateTime;
import java.time.ZoneOffset;
import java.util.ArrayList;
import java.util.Collection;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.UUID;
import java.util.stream.StreamSupport;
import org.jspecify.annotations.Nullable;

/** Queries of the delivery log for the API and the settings page. */
public final class LoggedDeliveries {
  /** The most deliveries of an endpoint that {@link #undelivered} reads. */
  private static final int UNDELIVERED_MAX = 1_000;

  private static final String COLUMNS =
      "d.id, d.endpoint_id, d.capture_id, d.position, d.replay_id, d.origin, d.state, d.attempts, d.last_outcome,"
          + " d.next_attempt_at, d.owed_at, d.updated_at";

  private static final String FIND =
      """
      select %s from unnest($1::uuid[], $2::date[]) as k(id, day) cross join lateral (
        select * from deliveries where id = k.id and day = k.day limit 1) as d
      """
          .formatted(COLUMNS);

  private static final String MISSING =
      """
      select k.n from unnest($1::uuid[], $2::date[]) with ordinality as k(id, day, n)
        left join lateral (select true as known from deliveries where id = k.id and day = k.day limit 1) d on true
      where d.known is null
      order by k.n
      """;

  /** The repeated condition is that of the partial index, which excludes delivered rows. */
  private static final String UNDELIVERED =
      """
      select %s from unnest($1::uuid[]) as e(id) cross join lateral (
        select * from (
          select * from deliveries
          where endpoint_id = e.id and state = $2 and state <> 'delivered'
            and position > $3 and position <= $4 and (position < $4 or (endpoint_id, id) > ($5, $6))
          order by position desc, id limit %d) as page_max
        order by position desc, id limit $7) as d
      """
          .formatted(COLUMNS, UNDELIVERED_MAX);

  /** The repeated condition is that of the partial index, which excludes first deliveries. */
  private static final String REPLAYED =
      """
      select %s from unnest($1::uuid[]) as e(id) cross join lateral (
        select * from deliveries
        where endpoint_id = e.id and replay_id is not null and position > $2 and position <= $3) as d
      """
          .formatted(COLUMNS);

  private static final String ONE =
      """
      select %s from deliveries d join endpoints e on e.id = d.endpoint_id
      where d.id = $1 and e.workspace_id = $2
      """
          .formatted(COLUMNS);

  private static final String ATTEMPT_COLUMNS =
      "attempt, started_at, duration_ms, outcome, status, detail, answer, revision, signature, length,"
          + " request_headers, response_headers, times";

  private static final String ATTEMPTS =
      "select " + ATTEMPT_COLUMNS + " from attempts where delivery_id = $1 order by attempt";

  /** Retries and replays are of captures of any age; those of the newest ones are read. */
  private static final String NEWEST_ATTEMPTS =
      """
      select d.id as delivery_id, d.position, a.* from (
          select unnest($2::uuid[]) as id
          union
          (select id from deliveries
            where endpoint_id = $1 and state = 'pending' and state <> 'delivered' order by position desc limit 50)
          union
          (select id from deliveries
            where endpoint_id = $1 and state = 'exhausted' and state <> 'delivered' order by position desc limit 20)
          union
          (select id from deliveries
            where endpoint_id = $1 and replay_id is not null order by position desc limit 20)) as k
        cross join lateral (select id, position from deliveries where id = k.id limit 1) as d
        cross join lateral (
          select %s from attempts where delivery_id = k.id order by attempt desc limit $3) as a
      order by a.started_at desc, a.attempt desc limit $3
      """
          .formatted(ATTEMPT_COLUMNS);

  /** An attempt, and the delivery of which it is one. */
  public record AttemptOf(UUID deliveryId, long position, LoggedAttempt attempt) {}

  private final SqlClient client;
  private final LogDays days;

  public LoggedDeliveries(SqlClient client, LogDays days) {
    this.client = client;
    this.days = days;
  }

  /** The given deliveries with their log entries. */
  public Future<List<LoggedDelivery>> complete(Collection<LoggedDelivery> owed) {
    return client
        .preparedQuery(FIND)
        .execute(
            Tuple.tuple()
                .addArrayOfUUID(owed.stream().map(LoggedDelivery::id).toArray(UUID[]::new))
                .addArrayOfLocalDate(
                    owed.stream().map(each -> days.of(each.owedAt())).toArray(LocalDate[]::new)))
        .map(rows -> {
          Map<UUID, LoggedDelivery> logged = new HashMap<>();
          rows.forEach(row -> logged.put(row.getUUID("id"), delivery(row)));
          return owed.stream().map(each -> logged.getOrDefault(each.id(), each)).toList();
        });
  }

  /**
   * Those without a log entry, in the same order. They must be owed since a day that the log
   * covers.
   */
  public static Future<List<Delivery>> missing(SqlClient client, List<Delivery> owed) {
    return client
        .preparedQuery(MISSING)
        .execute(
            Tuple.tuple()
                .addArrayOfUUID(owed.stream().map(Delivery::id).toArray(UUID[]::new))
                .addArrayOfLocalDate(
                    owed.stream()
                        .map(each -> LocalDate.ofInstant(each.owedAt(), ZoneOffset.UTC))
                        .toArray(LocalDate[]::new)))
        .map(rows -> Rows.list(rows, row -> owed.get(row.getLong("n").intValue() - 1)));
  }

  /**
   * Selects the deliveries of these endpoints between two positions, and of the last position only
   * those after a given delivery, in the order of their ids.
   */
  public record Range(
      Collection<UUID> endpointIds, long above, long upTo, UUID afterEndpoint, UUID afterDelivery) {
    public Range {
      endpointIds = List.copyOf(endpointIds);
    }
  }

  /**
   * The newest deliveries of each endpoint in a state other than {@code DELIVERED}, unordered; up
   * to {@code max}, and never more than 1,000.
   */
  public Future<List<LoggedDelivery>> undelivered(Range range, DeliveryState state, int max) {
    return client
        .preparedQuery(UNDELIVERED)
        .execute(
            Tuple.tuple()
                .addArrayOfUUID(range.endpointIds().toArray(UUID[]::new))
                .addString(state.word())
                .addLong(range.above())
                .addLong(range.upTo())
                .addUUID(range.afterEndpoint())
                .addUUID(range.afterDelivery())
                .addInteger(max))
        .map(LoggedDeliveries::deliveries);
  }

  /** The replays' deliveries of the captures between two positions, unordered. */
  public Future<List<LoggedDelivery>> replayed(
      Collection<UUID> endpointIds, long above, long upTo) {
    return client
        .preparedQuery(REPLAYED)
        .execute(
            Tuple.tuple()
                .addArrayOfUUID(endpointIds.toArray(UUID[]::new))
                .addLong(above)
                .addLong(upTo))
        .map(LoggedDeliveries::deliveries);
  }

  /** Empty for a first delivery without an outcome. */
  public Future<Optional<LoggedDelivery>> one(UUID workspaceId, UUID id) {
    return client
        .preparedQuery(ONE)
        .execute(Tuple.of(id, workspaceId))
        .map(rows -> {
          RowIterator<Row> row = rows.iterator();
          return row.hasNext() ? Optional.of(delivery(row.next())) : Optional.empty();
        });
  }

  public Future<List<LoggedAttempt>> attempts(UUID deliveryId) {
    return client
        .preparedQuery(ATTEMPTS)
        .execute(Tuple.of(deliveryId))
        .map(rows -> {
          List<LoggedAttempt> attempts = new ArrayList<>();
          rows.forEach(row -> attempts.add(attempt(row)));
          return attempts;
        });
  }

  /**
   * The newest attempts to an endpoint, newest first.
   *
   * @param newest the first deliveries of the newest captures
   */
  public Future<List<AttemptOf>> newestAttempts(
      UUID endpointId, Collection<LoggedDelivery> newest, int max) {
    return client
        .preparedQuery(NEWEST_ATTEMPTS)
        .execute(
            Tuple.of(endpointId, newest.stream().map(LoggedDelivery::id).toArray(UUID[]::new), max))
        .map(rows ->
            Rows.list(
                rows,
                row ->
                    new AttemptOf(
                        row.getUUID("delivery_id"), row.getLong("position"), attempt(row))));
  }

  /** The start of the first day that the log covers. */
  public Instant since() {
    return days.since();
  }

  private static List<LoggedDelivery> deliveries(RowSet<Row> rows) {
    return StreamSupport.stream(rows.spliterator(), false).map(LoggedDeliveries::delivery).toList();
  }

  private static LoggedDelivery delivery(Row row) {
    return new LoggedDelivery(
        row.getUUID("id"),
        row.getUUID("endpoint_id"),
        row.getUUID("capture_id"),
        row.getLong("position"),
        row.getUUID("replay_id"),
        Origin.of(row.getString("origin")),
        DeliveryState.of(row.getString("state")),
        row.getInteger("attempts"),
        row.getString("last_outcome"),
        instant(row.getOffsetDateTime("next_attempt_at")),
        row.getOffsetDateTime("owed_at").toInstant(),
        instant(row.getOffsetDateTime("updated_at")));
  }

  private static LoggedAttempt attempt(Row row) {
    return new LoggedAttempt(
        row.getInteger("attempt"),
        new MadeAttempt(
            row.getOffsetDateTime("started_at").toInstant(),
            Duration.ofMillis(row.getInteger("duration_ms")),
            row.getString("outcome"),
            row.getInteger("status"),
            row.getString("detail"),
            row.getLong("revision"),
            new Exchanged(
                request(row),
                requireNonNullElse(row.getString("response_headers"), ""),
                requireNonNullElse(row.getBuffer("answer"), Buffer.buffer()))));
  }

  private static @Nullable SentRequest request(Row row) {
    String signature = row.getString("signature");
    return signature == null
        ? null
        : new SentRequest(
            signature,
            requireNonNullElse(row.getString("request_headers"), ""),
            row.getInteger("length"),
            row.getInteger("times"));
  }

  private static @Nullable Instant instant(@Nullable OffsetDateTime time) {
    return time == null ? null : time.toInstant();
  }
}
