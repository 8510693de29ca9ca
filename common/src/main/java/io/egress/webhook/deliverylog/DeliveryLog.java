package io.egress.webhook.deliverylog;

import io.egress.webhook.delivery.Delivery;
import io.vertx.core.Future;
import io.vertx.pgclient.PgException;
import io.vertx.sqlclient.Row;
import io.vertx.sqlclient.RowSet;
import io.vertx.sqlclient.SqlClient;
import io.vertx.sqlclient.Tuple;
import java.time.LocalDate;
import java.util.ArrayList;
import java.util.Collection;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.UUID;
import java.util.function.Function;
import java.util.stream.Collectors;

/**
 * The record of deliveries in the database. It prevents repeated deliveries after a crash or a
 * rebalance: an attempt in the log is over, and the record of its successor has been published. Of
 * an attempt that ends after its capture was erased, the answer is not kept, nor its headers.
 */
public final class DeliveryLog {
  private static final String WRITE =
      LogRows.ENTRIES
          + """
          , erased as (select capture_id from erasures where capture_id = any($4)),
          made as (
          """
          + LogRows.INSERT_ATTEMPTS.formatted("%1$s", "capture_id in (table erased)")
          + """
            %3$s),
          written as (
            insert into %2$s as d
              (day, id, endpoint_id, capture_id, position, replay_id, origin, state, attempts, last_outcome, next_attempt_at,
                owed_at)
            select day, id, endpoint_id, capture_id, position, replay_id, origin, state, attempts, outcome, next_attempt_at,
              owed_at
            from entry
            %4$s)
          """;

  static final String ATTEMPT_MAY_BE_KNOWN =
      """
      on conflict do nothing
      returning delivery_id
      """;

  private static final String DELIVERY_MAY_BE_KNOWN =
      """
      on conflict (id, day) do update
      set state = excluded.state, attempts = excluded.attempts, updated_at = now(),
        last_outcome = coalesce(excluded.last_outcome, d.last_outcome), next_attempt_at = excluded.next_attempt_at
      where d.state = 'pending' and d.attempts <= excluded.attempts
      returning d.endpoint_id, d.origin, d.owed_at, d.state, d.xmax = 0 as is_new
      """;

  private static final String KNOWN =
      "select id, state, attempts from %s where day = $1 and id = any($2)";

  private static final String UNIQUE_VIOLATION = "23505";

  /** The log's knowledge of a delivery that had an outcome before. */
  public record Known(DeliveryState state, int attempts) {
    /** Whether this attempt is unnecessary: it was made already, or the delivery has ended. */
    public boolean hasSettled(Delivery delivery) {
      return hasEnded() || attempts >= delivery.attempt();
    }

    public boolean hasEnded() {
      return state.isFinal();
    }
  }

  private final SqlClient client;
  private final LogDays days;

  public DeliveryLog(SqlClient client, LogDays days) {
    this.client = client;
    this.days = days;
  }

  /**
   * {@code entries} must not contain a delivery twice. If this fails, some of them may have been
   * written.
   */
  public Future<Void> write(List<LogEntry> entries) {
    List<Future<?>> writes = new ArrayList<>();
    byDay(entries, LogEntry::delivery)
        .forEach((day, ofDay) -> {
          Map<Boolean, List<LogEntry>> byNovelty =
              ofDay.stream().collect(Collectors.partitioningBy(LogEntry::isFirst));
          writes.add(writeFirst(day, byNovelty.getOrDefault(true, List.of())));
          writes.add(writeNext(day, byNovelty.getOrDefault(false, List.of())));
        });
    return Future.all(writes).mapEmpty();
  }

  /** Finds those of the deliveries that had an outcome before, using {@code asking}. */
  public Future<Map<UUID, Known>> known(SqlClient asking, Collection<Delivery> deliveries) {
    Map<UUID, Known> known = new HashMap<>();
    List<Future<RowSet<Row>>> asked =
        byDay(deliveries, delivery -> delivery).entrySet().stream()
            .map(day -> ask(asking, day.getKey(), day.getValue()))
            .toList();
    return Future.join(asked)
        .map(_ -> {
          for (Future<RowSet<Row>> answer : asked) {
            answer.result().forEach(row -> known.put(row.getUUID(0), read(row)));
          }
          return known;
        });
  }

  /**
   * The first entries of deliveries are new, unless they were written before. To insert them as new
   * costs half of what it costs to find out what is known of them; what was written before is
   * refused as a whole, and then written as what may be known.
   */
  private Future<?> writeFirst(LocalDate day, List<LogEntry> entries) {
    if (entries.isEmpty()) {
      return Future.succeededFuture();
    }
    Tuple rows = LogRows.of(day, entries);
    HourCounts.add(entries, rows);
    return client
        .preparedQuery(statement(day, "", "") + EndpointHours.ADD_COUNTED)
        .execute(rows)
        .<Object>mapEmpty()
        .recover(failure ->
            failure instanceof PgException refused && UNIQUE_VIOLATION.equals(refused.getSqlState())
                ? writeNext(day, entries).mapEmpty()
                : Future.failedFuture(failure));
  }

  private Future<?> writeNext(LocalDate day, List<LogEntry> entries) {
    return entries.isEmpty()
        ? Future.succeededFuture()
        : client
            .preparedQuery(
                statement(day, ATTEMPT_MAY_BE_KNOWN, DELIVERY_MAY_BE_KNOWN)
                    + EndpointHours.ADD_CHANGED)
            .execute(LogRows.of(day, entries));
  }

  /** Names the partitions, so that PostgreSQL need not search all of them. */
  private static String statement(LocalDate day, String onAttempt, String onDelivery) {
    return WRITE.formatted(LogDays.attempts(day), LogDays.deliveries(day), onAttempt, onDelivery);
  }

  private static Future<RowSet<Row>> ask(
      SqlClient asking, LocalDate day, List<Delivery> deliveries) {
    return asking
        .preparedQuery(KNOWN.formatted(LogDays.deliveries(day)))
        .execute(LogRows.question(day, deliveries));
  }

  private <T> Map<LocalDate, List<T>> byDay(Collection<T> all, Function<T, Delivery> delivery) {
    return all.stream()
        .collect(Collectors.groupingBy(each -> days.of(delivery.apply(each).owedAt())));
  }

  private static Known read(Row row) {
    return new Known(DeliveryState.of(row.getString(1)), row.getInteger(2));
  }
}
