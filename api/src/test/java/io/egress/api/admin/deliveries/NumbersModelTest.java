package io.egress.api.admin.deliveries;

import static java.util.Objects.requireNonNull;
import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.egress.api.Service;
import io.egress.api.admin.deliveries.PendingDeliveries.Pending;
import io.egress.api.metrics.EndpointsBehind;
import io.egress.api.portal.Browser;
import io.egress.platform.metrics.Metrics;
import io.egress.webhook.deliverylog.DeliveryState;
import io.egress.webhook.deliverylog.LogMaintenance;
import io.egress.webhook.deliverylog.LoggedDeliveries;
import io.egress.webhook.endpoint.Endpoint;
import io.egress.webhook.endpoint.EndpointStore;
import io.vertx.core.Vertx;
import io.vertx.core.json.JsonArray;
import io.vertx.core.json.JsonObject;
import java.time.Clock;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.Set;
import java.util.UUID;
import java.util.function.Predicate;
import java.util.function.ToLongFunction;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.RepeatedTest;

/**
 * Whatever the log holds: every number that pages, lists, commands and metrics show of deliveries
 * is what the log says; of endpoints with a history, with a filter, and of one that is paused.
 */
class NumbersModelTest {
  private static final int EARLIER = 8;
  private static final int CAPTURES = 32;
  private static final String MANUAL = "manual";

  private static Service service;

  /** Of all runs. */
  private static long endpointsBehind;

  private final UUID workspace = UUID.randomUUID();
  private final String path = "/internal/v1/workspaces/" + workspace;

  /**
   * What has become of a capture at an endpoint to which it is owed.
   *
   * @param first null for a delivery that is not in the log
   * @param again the delivery of a replay; null if there is none
   */
  private record Fate(
      long position, @Nullable DeliveryState first, @Nullable DeliveryState again, boolean erased) {
    boolean isLive() {
      return position > EARLIER;
    }

    boolean isReplayable() {
      return first != null
          && first.isReplayable()
          && again != DeliveryState.DELIVERED
          && again != DeliveryState.PENDING;
    }

    boolean isUndelivered() {
      return isReplayable() && !erased;
    }

    boolean isDelivered() {
      return first == DeliveryState.DELIVERED || again == DeliveryState.DELIVERED;
    }

    boolean isOpen() {
      return !isDelivered() && !isReplayable();
    }

    /** A history that was not published yet has its own progress. */
    boolean isPending() {
      return isOpen() && (isLive() || first != null);
    }

    int in(DeliveryState state) {
      boolean isUntried = state == DeliveryState.PENDING && first == null;
      return (first == state || isUntried ? 1 : 0) + (again == state ? 1 : 0);
    }
  }

  @BeforeAll
  static void start() {
    service = Service.start();
    new LogMaintenance(service.database, WrittenOutcomes.DAYS).run();
  }

  @AfterAll
  static void stop() {
    service.close();
  }

  @RepeatedTest(3)
  void areWhatTheLogSays() {
    long seed = System.nanoTime();
    Random random = new Random(seed);
    WrittenOutcomes written = new WrittenOutcomes(service, workspace);
    captures(1, EARLIER);
    UUID filtered = written.endpoint(filter());
    UUID withHistory = written.endpointOf(new JsonObject().put("full_history", true));
    UUID both =
        written.endpointOf(new JsonObject().put("full_history", true).put("filter", filter()));
    UUID paused = written.endpoint();
    List<UUID> endpoints = List.of(written.endpoint(), filtered, withHistory, both, paused);
    captures(EARLIER + 1, CAPTURES);
    age();
    Set<Long> erased = new HashSet<>();
    for (int i = 0; i < 5; i++) {
      erased.add(1L + random.nextInt(CAPTURES));
    }
    Map<UUID, List<Fate>> fates = new HashMap<>();
    for (UUID endpoint : endpoints) {
      UUID replay = replay(endpoint);
      List<Fate> ofEndpoint = new ArrayList<>();
      boolean hasHistory = endpoint.equals(withHistory) || endpoint.equals(both);
      boolean isFiltered = endpoint.equals(filtered) || endpoint.equals(both);
      for (long position = hasHistory ? 1 : EARLIER + 1; position <= CAPTURES; position++) {
        if (isFiltered && !mode(position).equals(MANUAL)) {
          continue;
        }
        DeliveryState first = any(random);
        if (first != null) {
          written.writeAt(endpoint, position, first, null);
        }
        DeliveryState again = first != null && first.isReplayable() ? any(random) : null;
        if (again != null) {
          written.writeAt(endpoint, position, again, replay);
        }
        ofEndpoint.add(new Fate(position, first, again, erased.contains(position)));
      }
      fates.put(endpoint, ofEndpoint);
    }
    erased.forEach(this::erase);
    service.internal("PATCH", path + "/endpoints/" + paused, new JsonObject().put("paused", true));

    String overview =
        Browser.at(service, workspace, "view").get("/portal/" + workspace + "/").body();
    fates.forEach((endpoint, its) -> {
      String what = "seed %d, endpoint %d: %s".formatted(seed, endpoints.indexOf(endpoint), its);
      check(what, endpoint, its);
      checkLine(what, line(overview, endpoint), its);
    });
    checkTogether("seed " + seed, fates.values().stream().flatMap(List::stream).toList());
    fates.remove(paused);
    endpointsBehind += fates.values().stream().filter(its -> its.getLast().first() == null).count();
    checkMetric("seed " + seed);
  }

  /** What has no attempt is late after a minute. */
  private void age() {
    service.query(
        """
        set session_replication_role = replica;
        update stream set entered_at = entered_at - interval '5 minutes' where workspace_id = '%1$s';
        update endpoints set created_at = created_at - interval '5 minutes' where workspace_id = '%1$s';
        reset session_replication_role\
        """
            .formatted(workspace));
  }

  private static void checkMetric(String what) {
    Vertx vertx = Vertx.vertx();
    try (Metrics metrics = new Metrics()) {
      EndpointsBehind behind =
          new EndpointsBehind(
              vertx, service.database, Clock.systemUTC(), metrics, Duration.ofDays(30));
      await().until(() -> behind.lateness() != null);
      assertThat(requireNonNull(behind.lateness()).endpoints()).as(what).isEqualTo(endpointsBehind);
      assertThat(metrics.scrape())
          .as(what)
          .contains("egress_endpoints_behind %d.0".formatted(endpointsBehind));
      behind.close();
    } finally {
      Service.await(vertx.close());
    }
  }

  private static JsonObject filter() {
    return new JsonObject().put("modes", new JsonArray().add(MANUAL));
  }

  private void captures(long first, long last) {
    for (long position = first; position <= last; position++) {
      service.put(UUID.randomUUID(), Service.capture(workspace).put("mode", mode(position)));
    }
  }

  private static String mode(long position) {
    return position % 3 == 0 ? "ambient" : MANUAL;
  }

  private void check(String what, UUID id, List<Fate> fates) {
    Endpoint endpoint = requireNonNull(endpoints().get(id));
    EndpointHealth health =
        requireNonNull(
            new EndpointHealths(service.database, WrittenOutcomes.DAYS, Clock.systemUTC())
                .of(List.of(endpoint))
                .get(id));
    assertThat(health.undelivered()).as(what).isEqualTo(count(fates, Fate::isUndelivered));
    Pending pending = requireNonNull(pending().of(List.of(endpoint)).get(id));
    assertThat(pending.captures()).as(what).isEqualTo(count(fates, Fate::isPending));
    assertThat(pending.oldest() == null).as(what).isEqualTo(pending.captures() == 0);
    checkDay(what, endpoint, fates.stream().filter(Fate::isLive).toList());

    JsonObject verified = get("/endpoints/" + id + "/verification");
    assertThat(verified.getLong("delivered")).as(what).isEqualTo(count(fates, Fate::isDelivered));
    assertThat(verified.getLong("exhausted") + verified.getLong("skipped"))
        .as(what)
        .isEqualTo(count(fates, Fate::isUndelivered))
        .isEqualTo(verified.getLong("replayable"));
    assertThat(verified.getLong("erased"))
        .as(what)
        .isEqualTo(count(fates, each -> each.isReplayable() && each.erased()));
    assertThat(verified.getLong("pending") + verified.getLong("missing"))
        .as(what)
        .isEqualTo(count(fates, Fate::isOpen));

    for (DeliveryState state : DeliveryState.OF_CAPTURES) {
      assertThat(
              get("/endpoints/" + id + "/deliveries?limit=100&state=" + state.word())
                  .getJsonArray("deliveries"))
          .as(what + ", " + state)
          .hasSize(fates.stream().mapToInt(each -> each.in(state)).sum());
    }
  }

  private void checkDay(String what, Endpoint endpoint, List<Fate> live) {
    RecentOutcomes.Day day =
        requireNonNull(
            new RecentOutcomes(service.database)
                .of(workspace, List.of(endpoint), Instant.now())
                .get(endpoint.id()));
    assertThat(sum(day, RecentOutcomes.Hour::owed))
        .as(what)
        .isEqualTo(live.size() - count(live, each -> each.isReplayable() && each.erased()));
    assertThat(sum(day, RecentOutcomes.Hour::delivered))
        .as(what)
        .isEqualTo(count(live, Fate::isDelivered));
    assertThat(sum(day, RecentOutcomes.Hour::waiting))
        .as(what)
        .isEqualTo(count(live, each -> each.first() == null));
    assertThat(sum(day, RecentOutcomes.Hour::retrying))
        .as(what)
        .isEqualTo(count(live, each -> each.isOpen() && each.first() != null));
    assertThat(sum(day, hour -> hour.exhausted() + hour.skipped()))
        .as(what)
        .isEqualTo(count(live, Fate::isUndelivered));
  }

  private static String line(String overview, UUID endpoint) {
    int begin = overview.indexOf("id=\"endpoint-" + endpoint);
    return overview.substring(begin, overview.indexOf("</tr>", begin));
  }

  private static void checkLine(String what, String line, List<Fate> fates) {
    assertThat(number(line, ">([\\d,]+) not delivered yet<"))
        .as(what)
        .isEqualTo(count(fates, Fate::isPending));
    assertThat(number(line, "class=\"failed\">([\\d,]+) (?:given up|skipped)"))
        .as(what)
        .isEqualTo(count(fates, Fate::isUndelivered));
  }

  private static long number(String text, String pattern) {
    Matcher matcher = Pattern.compile(pattern).matcher(text);
    return matcher.find() ? Long.parseLong(matcher.group(1).replace(",", "")) : 0;
  }

  private void checkTogether(String what, List<Fate> fates) {
    JsonObject listed =
        new JsonObject(service.internal("GET", "/internal/v1/workspaces", "").body())
            .getJsonArray("workspaces").stream()
                .map(JsonObject.class::cast)
                .filter(each -> each.getString("id").equals(workspace.toString()))
                .findFirst()
                .orElseThrow();
    assertThat(listed.getLong("captures")).as(what).isEqualTo(CAPTURES);
    assertThat(listed.getLong("captures_last_hour")).as(what).isEqualTo(CAPTURES);
    assertThat(listed.getLong("undelivered")).as(what).isEqualTo(count(fates, Fate::isUndelivered));
    assertThat(listed.getLong("pending")).as(what).isEqualTo(count(fates, Fate::isPending));
    String ofOperator =
        Browser.ofOperator(service, "grace").get("/portal/operator/?search=" + workspace).body();
    assertThat(number(ofOperator, ">([\\d,]+) not delivered yet"))
        .as(what)
        .isEqualTo(count(fates, Fate::isPending));
    assertThat(number(ofOperator, ">([\\d,]+) given up or skipped"))
        .as(what)
        .isEqualTo(count(fates, Fate::isUndelivered));
  }

  private static PendingDeliveries pending() {
    return new PendingDeliveries(
        service.database, new LoggedDeliveries(service.database, WrittenOutcomes.DAYS));
  }

  private static @Nullable DeliveryState any(Random random) {
    int nth = random.nextInt(DeliveryState.OF_CAPTURES.size() + 1);
    return nth == DeliveryState.OF_CAPTURES.size() ? null : DeliveryState.OF_CAPTURES.get(nth);
  }

  private static long count(List<Fate> fates, Predicate<Fate> which) {
    return fates.stream().filter(which).count();
  }

  private static long sum(RecentOutcomes.Day day, ToLongFunction<RecentOutcomes.Hour> number) {
    return day.hours().stream().mapToLong(number).sum();
  }

  private Map<UUID, Endpoint> endpoints() {
    Map<UUID, Endpoint> found = new HashMap<>();
    Service.await(new EndpointStore(service.database).list(workspace))
        .forEach(each -> found.put(each.id(), each));
    return found;
  }

  private UUID replay(UUID endpoint) {
    UUID id = UUID.randomUUID();
    service.query(
        """
        insert into backfills (id, endpoint_id, origin, first_position, next_position, last_position, finished_at)
        values ('%s', '%s', 'replay', 1, %d, %d, now())
        """
            .formatted(id, endpoint, CAPTURES + 1, CAPTURES));
    return id;
  }

  private void erase(long position) {
    UUID capture =
        service
            .query(
                "select capture_id from stream where workspace_id = '%s' and position = %d"
                    .formatted(workspace, position))
            .iterator()
            .next()
            .getUUID(0);
    service.internal(
        "DELETE", "/internal/v1/captures/" + capture, new JsonObject().put("reason", "a test"));
  }

  private JsonObject get(String below) {
    return new JsonObject(service.internal("GET", path + below, "").body());
  }
}
