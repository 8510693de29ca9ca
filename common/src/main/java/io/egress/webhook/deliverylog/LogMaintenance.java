package io.egress.webhook.deliverylog;

import io.egress.platform.database.Rows;
import io.egress.platform.database.Transactions;
import io.egress.platform.http.Health;
import io.egress.platform.lifecycle.Recurring;
import io.egress.platform.outage.Outage;
import io.vertx.core.Future;
import io.vertx.core.Promise;
import io.vertx.core.Vertx;
import io.vertx.sqlclient.Pool;
import io.vertx.sqlclient.Row;
import io.vertx.sqlclient.SqlConnection;
import java.time.Duration;
import java.time.LocalDate;
import java.time.ZoneOffset;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import java.util.concurrent.CompletionException;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.Predicate;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Creates the coming days of the delivery log and ends those that are no longer kept, by the clock
 * of PostgreSQL. Any number of processes may do so at the same time.
 *
 * <p>It consists of short transactions that give up a lock which they do not get at once: whoever
 * waits for such a lock makes everybody wait who comes later. A new day is attached, for which
 * neither readers nor writers stop. A day that ends is first renamed, so that nobody writes to it
 * by its name anymore; then what outlives it is copied, part by part; then it is dropped. A step
 * that fails is repeated in the next run and does not prevent the others.
 */
public final class LogMaintenance {
  private static final Logger log = LoggerFactory.getLogger(LogMaintenance.class);

  private static final Duration PERIOD = Duration.ofSeconds(30);

  /** Failed runs in a row after which an operator should look. */
  private static final int FAILURES_MAX = 2;

  /** Of the processes that create days; "journal" in ASCII. */
  private static final long CREATING = 0x6a_6f_75_72_6e_61_6cL;

  /** Of the process that ends days. */
  private static final long ENDING = CREATING + 1;

  private static final String LOCK = "select pg_advisory_xact_lock($1)";
  private static final String TRY_LOCK = "select pg_try_advisory_xact_lock($1) as is_mine";
  private static final String WAIT_BRIEFLY =
      "set local lock_timeout = '500ms'; set local client_min_messages = warning";

  private static final String TODAY = "select (now() at time zone 'UTC')::date as today";

  private static final String ENDING_PREFIX = "ending_";
  private static final int SUFFIX_LENGTH = "_20260101".length();

  /** Oldest first. */
  private static final String PARTITIONS =
      """
      select c.relname as name, p.relname as parent
      from pg_inherits i join pg_class c on c.oid = i.inhrelid join pg_class p on p.oid = i.inhparent
      where p.oid = any(array['%s']::regclass[])
      order by right(c.relname, 8), c.relname
      """
          .formatted(String.join("', '", LogDays.TABLES));

  private static final String CREATE =
      """
      create table if not exists %1$s (like %2$s including all);
      alter table %2$s attach partition %1$s for values from ('%3$s') to ('%4$s')
      """;

  private static final String RENAME =
      "alter table if exists %1$s rename to " + ENDING_PREFIX + "%1$s";
  private static final String DROP = "drop table if exists %s";

  private static final int PAGES_MAX = 8_192;

  /** The comment of a day that ends is the number of pages of which receipts were copied. */
  private static final String PROGRESS =
      """
      select coalesce(obj_description(to_regclass($1), 'pg_class'), '0')::bigint as done,
        pg_relation_size(to_regclass($1)) / current_setting('block_size')::bigint as pages
      """;

  private static final String ADVANCE = "comment on table %s is '%d'";

  /** What outlives the log of a day. */
  private static final String COPY_RECEIPTS =
      """
      insert into receipts as r (endpoint_id, day, delivered, updated, erased)
      select endpoint_id, day,
        coalesce(range_agg(int8range(position, position, '[]')) filter (where origin not in ('update', 'erasure')), '{}'),
        coalesce(range_agg(int8range(position, position, '[]')) filter (where origin = 'update'), '{}'),
        coalesce(range_agg(int8range(position, position, '[]')) filter (where origin = 'erasure'), '{}')
      from %s where state = 'delivered' and ctid >= '(%d,0)' and ctid < '(%d,0)' group by 1, 2
      on conflict (endpoint_id, day) do update set delivered = r.delivered + excluded.delivered,
        updated = r.updated + excluded.updated, erased = r.erased + excluded.erased
      """;

  private static final int HOURS_MAX = 5_000;

  private static final String DELETE_HOURS =
      """
      delete from endpoint_hours where (endpoint_id, hour) in (
        select endpoint_id, hour from endpoint_hours where hour < $1 limit %d)
      """
          .formatted(HOURS_MAX);

  /** A day of one of the tables. */
  private record Partition(String name, String parent) {
    private static Partition of(Row row) {
      return new Partition(row.getString("name"), row.getString("parent"));
    }

    private boolean isBefore(LocalDate day) {
      String suffix = name.substring(name.length() - SUFFIX_LENGTH);
      return suffix.compareTo(LogDays.suffix(day)) < 0;
    }

    private boolean hasEnded() {
      return name.startsWith(ENDING_PREFIX);
    }

    private String endingName() {
      return hasEnded() ? name : ENDING_PREFIX + name;
    }

    private boolean hasReceipts() {
      return parent.equals(LogDays.DELIVERIES);
    }
  }

  private final Pool pool;
  private final LogDays days;
  private final Promise<Void> begun = Promise.promise();
  private volatile LocalDate writableUpTo = LocalDate.MIN;
  private final AtomicInteger failures = new AtomicInteger();

  /** {@code pool} should be one that nothing else waits for. */
  public LogMaintenance(Pool pool, LogDays days) {
    this.pool = pool;
    this.days = days;
  }

  /** Runs periodically until that is closed. */
  public Recurring start(Vertx vertx) {
    Outage outage =
        new Outage(
            log,
            "Cannot maintain the days of the delivery log; retrying",
            "The days of the delivery log are maintained again");
    return new Recurring(vertx, "maintaining the days of the delivery log", this::runOnce)
        .reporting(outage)
        .nowAndEvery(PERIOD);
  }

  /** Completes when the first run has created what was missing, or could not. */
  public Future<Void> begun() {
    return begun.future();
  }

  /** Down if there is no partition for today's deliveries. */
  public Health.State state() {
    if (days.today().isAfter(writableUpTo)) {
      return Health.State.DOWN;
    }
    return failures() < FAILURES_MAX ? Health.State.UP : Health.State.AWAY;
  }

  /** How many runs in a row have failed. */
  public int failures() {
    return failures.get();
  }

  /** One run, as of today. */
  public void run() {
    run(Rows.of(pool, TODAY).iterator().next().getLocalDate("today"));
  }

  /** One run, as of a day. */
  public void run(LocalDate today) {
    LocalDate first = days.first(today);
    Failures failed = new Failures();
    failed.of(() -> createDays(first, today));
    begun.tryComplete();
    for (Partition each : partitions(partition -> partition.isBefore(first))) {
      failed.of(() -> end(each));
    }
    failed.of(() -> deleteHours(first));
    failed.rethrow();
  }

  private void runOnce() {
    try {
      run();
      failures.set(0);
    } catch (Throwable failure) {
      failures.incrementAndGet();
      throw failure;
    } finally {
      begun.tryComplete();
    }
  }

  private void createDays(LocalDate first, LocalDate today) {
    LocalDate last = today.plusDays(LogDays.DAYS_AHEAD);
    try {
      Transactions.callOnce(pool, tx -> createMissing(tx, first, last));
    } finally {
      Set<String> existing = existing(partitions(_ -> true));
      LocalDate writable = today;
      while (isWritable(existing, writable)) {
        writable = writable.plusDays(1);
      }
      writableUpTo = writable.minusDays(1);
    }
  }

  private static boolean isWritable(Set<String> existing, LocalDate day) {
    return LogDays.TABLES.stream()
        .allMatch(table -> existing.contains(table + LogDays.suffix(day)));
  }

  private static int createMissing(SqlConnection tx, LocalDate first, LocalDate last) {
    Rows.of(tx, LOCK, CREATING);
    Set<String> existing =
        existing(Rows.list(tx.query(PARTITIONS).execute().await(), Partition::of));
    List<String> missing = new ArrayList<>();
    for (String parent : LogDays.TABLES) {
      for (LocalDate day = first; !day.isAfter(last); day = day.plusDays(1)) {
        String name = parent + LogDays.suffix(day);
        if (!existing.contains(name)) {
          missing.add(CREATE.formatted(name, parent, day, day.plusDays(1)));
        }
      }
    }
    if (!missing.isEmpty()) {
      missing.addFirst(WAIT_BRIEFLY);
      tx.query(String.join(";", missing)).execute().await();
    }
    return missing.size();
  }

  private static Set<String> existing(List<Partition> partitions) {
    Set<String> names = new HashSet<>();
    partitions.forEach(each -> names.add(each.name()));
    return names;
  }

  private List<Partition> partitions(Predicate<Partition> which) {
    return Rows.list(Rows.of(pool, PARTITIONS), Partition::of).stream().filter(which).toList();
  }

  private void end(Partition partition) {
    boolean isMine =
        (partition.hasEnded() || change(RENAME.formatted(partition.name())))
            && (!partition.hasReceipts() || copyReceipts(partition.endingName()));
    if (isMine) {
      change(DROP.formatted(partition.endingName()));
    }
  }

  /** Returns false if another process is at it. */
  private boolean change(String statement) {
    return Transactions.callOnce(
        pool,
        tx -> {
          if (!isMine(tx)) {
            return false;
          }
          tx.query(WAIT_BRIEFLY).execute().await();
          tx.query(statement).execute().await();
          return true;
        });
  }

  private boolean copyReceipts(String name) {
    Copied copied = Copied.PART;
    while (copied == Copied.PART) {
      copied =
          Transactions.callOnce(pool, tx -> isMine(tx) ? copyPart(tx, name) : Copied.ELSEWHERE);
    }
    return copied == Copied.ALL;
  }

  private enum Copied {
    PART,
    ALL,
    /** By another process, or it was dropped by one. */
    ELSEWHERE
  }

  private static Copied copyPart(SqlConnection tx, String name) {
    Row progress = Rows.of(tx, PROGRESS, name).iterator().next();
    Long pages = progress.getLong("pages");
    if (pages == null) {
      return Copied.ELSEWHERE;
    }
    long done = progress.getLong("done");
    if (done >= pages) {
      return Copied.ALL;
    }
    tx.query(COPY_RECEIPTS.formatted(name, done, done + PAGES_MAX)).execute().await();
    tx.query(ADVANCE.formatted(name, done + PAGES_MAX)).execute().await();
    return Copied.PART;
  }

  private static boolean isMine(SqlConnection tx) {
    return Rows.of(tx, TRY_LOCK, ENDING).iterator().next().getBoolean("is_mine");
  }

  private void deleteHours(LocalDate first) {
    int deleted;
    do {
      deleted =
          Rows.of(pool, DELETE_HOURS, first.atStartOfDay(ZoneOffset.UTC).toInstant()).rowCount();
    } while (deleted == HOURS_MAX);
  }

  /** The first failure of several steps, with the others. */
  private static final class Failures {
    private @Nullable Throwable first;

    private void of(Runnable step) {
      try {
        step.run();
      } catch (Throwable failure) {
        if (first == null) {
          first = failure;
        } else {
          first.addSuppressed(failure);
        }
      }
    }

    private void rethrow() {
      if (first != null) {
        throw first instanceof RuntimeException unchecked
            ? unchecked
            : new CompletionException(first);
      }
    }
  }
}
