package io.egress.acceptance.year;

import static java.util.Objects.requireNonNull;
import static java.util.stream.Collectors.groupingBy;

import io.egress.acceptance.year.Arrivals.Arrival;
import io.egress.acceptance.year.Tenant.Captured;
import io.egress.acceptance.year.Tenant.Endpoint;
import io.egress.webhook.delivery.RetrySchedule;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Collection;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.UUID;
import org.awaitility.Awaitility;
import org.jspecify.annotations.Nullable;

/** Holds what happened against what the service promises. */
final class Promises {
  private static final RetrySchedule SCHEDULE = RetrySchedule.parse("1m,5m,15m,1h,6h,24h");
  private static final String PROCESSED = "capture.processed";
  private static final String ERASED = "capture.erased";
  private static final Duration EARLY_MAX = Duration.ofSeconds(5);

  /** From a midnight and a start of the log's first day to the end of the last attempt. */
  private static final Duration ATTEMPTED_FOR = Duration.ofDays(8);

  private final MovedFleet fleet;
  private final Arrivals arrivals;
  private final Unanswered unanswered;
  private final Life life;
  private final Violations violations;
  private int accepted;
  private int exhausted;
  private int skipped;
  private int neverSent;

  Promises(
      MovedFleet fleet,
      Arrivals arrivals,
      Unanswered unanswered,
      Life life,
      Violations violations) {
    this.fleet = fleet;
    this.arrivals = arrivals;
    this.unanswered = unanswered;
    this.life = life;
    this.violations = violations;
  }

  void check() {
    awaitNothing(
        "captures past their retention",
        "stream s join workspaces w on w.id = s.workspace_id"
            + " where w.retention_ms is not null and not w.legal_hold"
            + " and s.entered_at < now() - w.retention_ms * interval '1 ms'"
            + " and not exists (select from erasures e where e.capture_id = s.capture_id)");
    awaitNothing(
        "workspaces that have ended",
        "workspaces where ended_at is not null and emptied_at is null");
    long early =
        fleet.count(
            "erasures e join stream s on s.capture_id = e.capture_id join workspaces w on w.id = s.workspace_id"
                + " where e.reason = 'retention'"
                + " and e.erased_at < s.entered_at + w.retention_ms * interval '1 ms'");
    violations.unless(early == 0, "%d captures were erased before their time", early);
    life.tenants().forEach(this::check);
    checkErasedTexts();
  }

  String summary() {
    return "%,d deliveries accepted, %,d given up, %,d to paused endpoints, %,d of captures that were erased first"
        .formatted(accepted, exhausted, skipped, neverSent);
  }

  private void awaitNothing(String what, String rows) {
    Awaitility.await("no " + what).until(() -> fleet.count(rows) == 0);
  }

  private void check(Tenant tenant) {
    List<UUID> stream = stream(tenant);
    Set<UUID> erased = erased(tenant);
    checkReading(tenant, stream, erased);
    tenant.checkDocuments();
    for (Endpoint endpoint : tenant.endpoints()) {
      checkDeliveries(tenant, endpoint, stream, erased);
    }
  }

  private List<UUID> stream(Tenant tenant) {
    return ids(
        "select string_agg(capture_id::text, ',' order by position) from stream where workspace_id = '%s'"
            .formatted(tenant.workspace));
  }

  private Set<UUID> erased(Tenant tenant) {
    return new HashSet<>(
        ids(
            "select string_agg(capture_id::text, ',') from erasures where workspace_id = '%s'"
                .formatted(tenant.workspace)));
  }

  private List<UUID> ids(String sql) {
    String ids = fleet.query(sql);
    return ids.isEmpty()
        ? List.of()
        : Arrays.stream(ids.split(",", -1)).map(UUID::fromString).toList();
  }

  private void checkReading(Tenant tenant, List<UUID> stream, Set<UUID> erased) {
    violations.unless(
        tenant.captures().stream().map(each -> each.id).toList().equals(stream),
        "the stream of %s is not what was put",
        tenant.name);
    List<UUID> read = without(tenant.reading(), erased);
    List<UUID> readable = without(stream, erased);
    violations.unless(
        read.equals(readable),
        "the reader of %s has %d captures of %d, or in another order",
        tenant.name,
        read.size(),
        readable.size());
  }

  private static List<UUID> without(List<UUID> captures, Set<UUID> erased) {
    return captures.stream().filter(id -> !erased.contains(id)).toList();
  }

  private void checkDeliveries(
      Tenant tenant, Endpoint endpoint, List<UUID> stream, Set<UUID> erased) {
    String row = " from endpoints where id = '%s'".formatted(endpoint.id);
    long owedFrom =
        Long.parseLong(
            fleet.query("select case when full_history then 0 else created_position end" + row));
    boolean isPaused = fleet.query("select paused" + row).equals("t");
    Map<UUID, List<Arrival>> byCapture =
        arrivals.at(endpoint.name).stream().collect(groupingBy(Arrival::capture));
    Map<UUID, Captured> captures = new HashMap<>();
    tenant.captures().forEach(each -> captures.put(each.id, each));
    for (UUID id : stream.subList((int) owedFrom, stream.size())) {
      Captured captured = requireNonNull(captures.get(id));
      List<Arrival> those = byCapture.getOrDefault(id, List.of());
      boolean reached = those.stream().anyMatch(Promises::isDocument);
      checkAttempts(endpoint, those);
      if (reached) {
        accepted++;
        checkCurrent(endpoint, captured, those, erased, isPaused);
      } else if (erased.contains(id)) {
        neverSent++;
      } else if (wasPaused(endpoint, captured.putAt, isPaused)) {
        skipped++;
      } else {
        exhausted++;
        long refused = those.stream().filter(each -> each.event().equals(PROCESSED)).count();
        int silent = unanswered.of(endpoint.id, id);
        violations.unless(
            refused + silent >= SCHEDULE.attemptsMax(),
            "%s never got %s, which was put at %s, refused it %d times and was silent %d times",
            endpoint.name,
            id,
            captured.putAt,
            refused,
            silent);
      }
    }
  }

  private static boolean isDocument(Arrival arrival) {
    return arrival.accepted() && !arrival.event().equals(ERASED);
  }

  /** The one that is paused by the service was so when its failures had lasted. */
  private static boolean wasPaused(Endpoint endpoint, Instant from, boolean isPaused) {
    List<Instant> pauses = endpoint.pauses();
    boolean inTime = false;
    for (int i = 0; i < pauses.size(); i += 2) {
      Instant end = i + 1 < pauses.size() ? pauses.get(i + 1) : Instant.MAX;
      inTime |= pauses.get(i).isBefore(from.plus(ATTEMPTED_FOR)) && end.isAfter(from);
    }
    return inTime || isPaused;
  }

  /** The last that it accepted shows how the capture is, and that it was erased. */
  private void checkCurrent(
      Endpoint endpoint,
      Captured captured,
      List<Arrival> those,
      Set<UUID> erased,
      boolean isPaused) {
    if (isPaused || !endpoint.pauses().isEmpty() || endpoint.manner != Arrivals.Manner.FINE) {
      return;
    }
    if (erased.contains(captured.id)) {
      violations.unless(
          those.stream().anyMatch(each -> each.event().equals(ERASED)),
          "%s was not notified that %s was erased",
          endpoint.name,
          captured.id);
      return;
    }
    @Nullable String last = those.stream().filter(Promises::isDocument).toList().getLast().title();
    violations.unless(
        captured.title().equals(last),
        "%s has %s of %s",
        endpoint.name,
        String.valueOf(last),
        captured.title());
  }

  /** Of each delivery: none is accepted twice, and none comes before its time. */
  private void checkAttempts(Endpoint endpoint, Collection<Arrival> those) {
    Map<UUID, List<Arrival>> byDelivery = those.stream().collect(groupingBy(Arrival::delivery));
    byDelivery.forEach((delivery, attempts) -> {
      long times = attempts.stream().filter(Arrival::accepted).count();
      violations.unless(
          times <= 1, "%s accepted %s %d times: %s", endpoint.name, delivery, times, attempts);
      violations.unless(
          attempts.size() <= SCHEDULE.attemptsMax(),
          "%s got %s %d times",
          endpoint.name,
          delivery,
          attempts.size());
      for (int i = 1; i < attempts.size() && i < SCHEDULE.attemptsMax(); i++) {
        Instant before = attempts.get(i - 1).at();
        Duration apart = Duration.between(before, attempts.get(i).at());
        boolean isSetBack = life.setBack().stream().anyMatch(at -> !at.isBefore(before));
        violations.unless(
            isSetBack
                || attempts.get(i - 1).stale()
                || apart.plus(EARLY_MAX).compareTo(SCHEDULE.delayAfter(i)) >= 0,
            "attempt %d of %s to %s came after %s",
            i + 1,
            delivery,
            endpoint.name,
            apart);
      }
    });
  }

  /** In no table is a title of an erased capture. */
  private void checkErasedTexts() {
    Set<UUID> erased = new HashSet<>(ids("select string_agg(capture_id::text, ',') from erasures"));
    List<String> tables =
        Arrays.asList(
            fleet
                .query(
                    "select string_agg(relname, ',') from pg_class"
                        + " where relkind = 'r' and relnamespace = 'public'::regnamespace")
                .split(",", -1));
    for (String table : tables) {
      String row =
          table.startsWith("attempts") ? "t::text || encode(t.answer, 'escape')" : "t::text";
      List<UUID> found =
          ids(
              "select string_agg(distinct m[1], ',') from %s t, regexp_matches(%s, '%s([0-9a-f-]{36})', 'g') m"
                  .formatted(table, row, Tenant.TITLE));
      List<UUID> left = new ArrayList<>(found);
      left.retainAll(erased);
      violations.unless(left.isEmpty(), "%s has titles of %d erased captures", table, left.size());
    }
  }
}
