package io.egress.acceptance.year;

import java.time.LocalDate;
import java.time.ZoneOffset;
import java.time.format.DateTimeFormatter;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.stream.Collectors;
import org.awaitility.Awaitility;

/** What docs/scaling.md says of each table: how much it holds, and how old that may be. */
final class TableBounds {
  private static final int DAYS_AHEAD = 3;
  private static final DateTimeFormatter SUFFIX = DateTimeFormatter.ofPattern("uuuuMMdd");

  /** Rows that are older than they may be. */
  private static final Map<String, String> OLD =
      Map.ofEntries(
          Map.entry("outbox", "true"),
          Map.entry("answers_to_forget", "true"),
          Map.entry("renames", "true"),
          Map.entry("endpoint_hours", "hour < (now() at time zone 'UTC')::date - 3"),
          Map.entry(
              "backfills", "origin <> 'backfill' and finished_at < now() - interval '5 days'"),
          Map.entry("idempotency_keys", "created_at < now() - interval '1 day'"),
          Map.entry("operator_notices", "emitted_at < now() - interval '31 hours'"),
          Map.entry("portal_links", "expires_at < now() - interval '1 day'"),
          Map.entry("portal_sessions", "expires_at < now() - interval '1 day'"),
          Map.entry("reconciliations", "endpoint_id not in (select id from endpoints)"));

  /** Tables whose rows are at most as many as something else. */
  private static final Map<String, String> MOST =
      Map.ofEntries(
          Map.entry("captures", "select count(*) from stream"),
          Map.entry("documents", "select count(*) from stream"),
          Map.entry("changes", "select count(distinct capture_id) from changes"),
          Map.entry("change_marks", "select coalesce(sum(number), 0) from change_heads"),
          Map.entry("change_heads", "select count(*) from workspaces"),
          Map.entry("erasures", "select count(*) from captures where erased_at is not null"),
          Map.entry("erased_spans", "select count(*) from captures where erased_at is not null"),
          Map.entry("erasure_backfills", "select count(*) from endpoints"),
          Map.entry("catch_ups", "select count(*) from endpoints"),
          Map.entry("queue", "select 1"),
          Map.entry("queue_rebuilds", "select 0"),
          Map.entry("overdue_search", "select 1"),
          Map.entry("trait_filling", "select 1"),
          Map.entry("renderings", "select 2"),
          Map.entry("members", "select 0"));

  private final MovedFleet fleet;
  private final Violations violations;

  TableBounds(MovedFleet fleet, Violations violations) {
    this.fleet = fleet;
    this.violations = violations;
  }

  void check() {
    Awaitility.await("the days of the log").until(() -> days().equals(expectedDays()));
    OLD.forEach((table, old) ->
        Awaitility.await(table + " has nothing older than it says")
            .until(() -> fleet.count(table + " where " + old) == 0));
    MOST.forEach((table, most) -> {
      long rows = fleet.count(table);
      long max = Long.parseLong(fleet.query(most));
      violations.unless(rows <= max, "%s has %d rows, %d are right", table, rows, max);
    });
  }

  /** Partitions of the two tables of the delivery log. */
  private List<String> days() {
    return Arrays.asList(
        fleet
            .query(
                "select string_agg(relname, ',' order by relname) from pg_inherits join pg_class on oid = inhrelid"
                    + " where inhparent = any(array['deliveries', 'attempts']::regclass[]) and relkind = 'r'")
            .split(",", -1));
  }

  private List<String> expectedDays() {
    LocalDate today = LocalDate.ofInstant(fleet.clock().instant(), ZoneOffset.UTC);
    List<String> days = new ArrayList<>();
    for (String table : List.of("attempts", "deliveries")) {
      for (int day = -MovedFleet.LOG_DAYS; day <= DAYS_AHEAD; day++) {
        days.add(table + "_" + SUFFIX.format(today.plusDays(day)));
      }
    }
    return days;
  }

  /** The rows of each table; of the delivery log, those of all days. */
  String sizes() {
    Map<String, Long> sizes = new TreeMap<>();
    for (String table :
        fleet
            .query(
                "select string_agg(relname, ',') from pg_class where relkind in ('r', 'p') and not relispartition"
                    + " and relnamespace = 'public'::regnamespace and relname not like 'flyway%'")
            .split(",", -1)) {
      sizes.put(table, fleet.count(table));
    }
    return sizes.entrySet().stream()
        .map(size -> "%-20s %,8d".formatted(size.getKey(), size.getValue()))
        .collect(Collectors.joining("\n"));
  }
}
