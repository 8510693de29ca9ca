package io.egress.webhook.deliverylog;

import io.egress.platform.database.Transactions;
import io.vertx.core.Future;
import io.vertx.sqlclient.Pool;
import io.vertx.sqlclient.Row;
import io.vertx.sqlclient.SqlConnection;
import io.vertx.sqlclient.Tuple;
import java.time.Clock;
import java.time.Duration;
import java.time.Instant;
import java.time.LocalDate;
import java.time.ZoneOffset;
import java.time.format.DateTimeFormatter;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;

/**
 * The days kept by the delivery log. There is a partition for each of them and for a few to come,
 * and none for earlier days.
 */
public final class LogDays {
  /** For clocks that run ahead, and for hours in which no partition could be created. */
  private static final int DAYS_AHEAD = 3;

  /** "journal" in ASCII. */
  private static final long LOCK = 0x6a_6f_75_72_6e_61_6cL;

  private static final String DELIVERIES = "deliveries";
  private static final String ATTEMPTS = "attempts";
  private static final List<String> TABLES = List.of(DELIVERIES, ATTEMPTS);
  private static final DateTimeFormatter SUFFIX = DateTimeFormatter.ofPattern("uuuuMMdd");
  private static final String PARTITIONS =
      "select relname from pg_class join pg_inherits on inhrelid = oid"
          + " where inhparent = any(array['deliveries', 'attempts']::regclass[])";

  /** What outlives the log of a day. */
  private static final String KEEP_RECEIPTS =
      """
      insert into receipts (endpoint_id, day, delivered, updated, erased)
      select endpoint_id, day,
        coalesce(range_agg(int8range(position, position, '[]')) filter (where origin not in ('update', 'erasure')), '{}'),
        coalesce(range_agg(int8range(position, position, '[]')) filter (where origin = 'update'), '{}'),
        coalesce(range_agg(int8range(position, position, '[]')) filter (where origin = 'erasure'), '{}')
      from %s where state = 'delivered' group by 1, 2
      on conflict do nothing\
      """;

  private final Clock clock;
  private final int keptDays;

  public LogDays(Clock clock, Duration retention) {
    this.clock = clock;
    this.keptDays = (int) retention.toDays();
  }

  /**
   * The partition for a delivery that is owed since {@code owedAt}. Deliveries owed for longer than
   * the log is kept go into the oldest partition; those dated in the future, into today's.
   */
  public LocalDate of(Instant owedAt) {
    LocalDate owed = LocalDate.ofInstant(owedAt, ZoneOffset.UTC);
    LocalDate today = today();
    if (owed.isAfter(today.plusDays(DAYS_AHEAD))) {
      return today;
    }
    LocalDate first = first();
    return owed.isBefore(first) ? first : owed;
  }

  /** The start of the first day that is kept. */
  Instant since() {
    return first().atStartOfDay(ZoneOffset.UTC).toInstant();
  }

  static String deliveries(LocalDate day) {
    return partition(DELIVERIES, day);
  }

  static String attempts(LocalDate day) {
    return partition(ATTEMPTS, day);
  }

  private static String partition(String table, LocalDate day) {
    return table + "_" + SUFFIX.format(day);
  }

  /**
   * Creates missing partitions, drops expired ones, of which receipts remain, and deletes the hours
   * that were counted then.
   */
  public Future<Void> maintain(Pool pool) {
    return Transactions.once(
        pool,
        transaction ->
            transaction
                .preparedQuery("select pg_advisory_xact_lock($1)")
                .execute(Tuple.of(LOCK))
                .compose(_ -> transaction.query(PARTITIONS).execute())
                .compose(rows -> {
                  List<String> existing = new ArrayList<>();
                  for (Row row : rows) {
                    existing.add(row.getString(0));
                  }
                  return run(transaction, changes(existing));
                })
                .compose(_ ->
                    transaction
                        .preparedQuery("delete from endpoint_hours where hour < $1")
                        .execute(Tuple.of(since().atOffset(ZoneOffset.UTC))))
                .mapEmpty());
  }

  private static Future<Void> run(SqlConnection transaction, List<String> statements) {
    return statements.isEmpty()
        ? Future.succeededFuture()
        : transaction.query(String.join(";", statements)).execute().mapEmpty();
  }

  private List<String> changes(List<String> existing) {
    List<String> changes = new ArrayList<>();
    LocalDate end = today().plusDays(DAYS_AHEAD);
    for (String table : TABLES) {
      Map<String, LocalDate> wanted = new LinkedHashMap<>();
      for (LocalDate day = first(); !day.isAfter(end); day = day.plusDays(1)) {
        wanted.put(partition(table, day), day);
      }
      wanted.forEach((name, day) -> {
        if (!existing.contains(name)) {
          changes.add(
              "create table %s partition of %s for values from ('%s') to ('%s')"
                  .formatted(name, table, day, day.plusDays(1)));
        }
      });
      String oldestName = partition(table, first());
      existing.stream()
          .filter(name -> name.startsWith(table + "_") && name.compareTo(oldestName) < 0)
          .forEach(name -> {
            if (table.equals(DELIVERIES)) {
              changes.add(KEEP_RECEIPTS.formatted(name));
            }
            changes.add("drop table " + name);
          });
    }
    return changes;
  }

  private LocalDate first() {
    return today().minusDays(keptDays - 1L);
  }

  private LocalDate today() {
    return LocalDate.ofInstant(clock.instant(), ZoneOffset.UTC);
  }
}
