package io.egress.api.admin.deliveries;

import static java.util.Objects.requireNonNull;
import static org.assertj.core.api.Assertions.assertThat;

import io.egress.api.Service;
import io.egress.api.admin.deliveries.PendingDeliveries.Pending;
import io.egress.webhook.deliverylog.DeliveryState;
import io.egress.webhook.deliverylog.LogMaintenance;
import io.egress.webhook.deliverylog.LoggedDeliveries;
import io.egress.webhook.endpoint.Endpoint;
import io.egress.webhook.endpoint.EndpointStore;
import io.vertx.core.json.JsonObject;
import java.time.Clock;
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
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.RepeatedTest;

/**
 * Whatever the log holds: every number that pages, lists and commands show of deliveries is what
 * the log says.
 */
class NumbersModelTest {
  private static final int CAPTURES = 30;

  private static Service service;

  private final UUID workspace = UUID.randomUUID();
  private final String path = "/internal/v1/workspaces/" + workspace;

  /** What has become of a capture at an endpoint; null for a delivery that is not in the log. */
  private record Fate(
      @Nullable DeliveryState first, @Nullable DeliveryState again, boolean erased) {
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

    int in(DeliveryState state) {
      boolean isWaiting = state == DeliveryState.PENDING && first == null;
      return (first == state || isWaiting ? 1 : 0) + (again == state ? 1 : 0);
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
    List<UUID> endpoints = List.of(written.endpoint(), written.endpoint(), written.endpoint());
    written.captures(CAPTURES);
    Set<Integer> erased = new HashSet<>();
    for (int i = 0; i < 4; i++) {
      erased.add(random.nextInt(CAPTURES));
    }
    List<List<Fate>> fates = new ArrayList<>();
    for (UUID endpoint : endpoints) {
      UUID replay = replay(endpoint);
      List<Fate> ofEndpoint = new ArrayList<>();
      for (int i = 0; i < CAPTURES; i++) {
        DeliveryState first = any(random, DeliveryState.OF_CAPTURES);
        if (first != null) {
          written.write(endpoint, i, i + 1, first);
        }
        DeliveryState again =
            first != null && first.isReplayable() ? any(random, DeliveryState.OF_CAPTURES) : null;
        if (again != null) {
          written.write(endpoint, i, i + 1, again, replay);
        }
        ofEndpoint.add(new Fate(first, again, erased.contains(i)));
      }
      fates.add(ofEndpoint);
    }
    erased.forEach(this::erase);

    for (int i = 0; i < endpoints.size(); i++) {
      check("seed " + seed + ", endpoint " + i, endpoints.get(i), fates.get(i));
    }
    checkTogether("seed " + seed, fates.stream().flatMap(List::stream).toList());
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
    assertThat(pending.captures()).as(what).isEqualTo(count(fates, Fate::isOpen));
    assertThat(pending.oldest() == null).as(what).isEqualTo(pending.captures() == 0);

    RecentOutcomes.Day day =
        requireNonNull(
            new RecentOutcomes(service.database)
                .of(workspace, List.of(endpoint), Instant.now())
                .get(id));
    assertThat(sum(day, RecentOutcomes.Hour::owed))
        .as(what)
        .isEqualTo(CAPTURES - count(fates, each -> each.isReplayable() && each.erased()));
    assertThat(sum(day, RecentOutcomes.Hour::delivered))
        .as(what)
        .isEqualTo(count(fates, Fate::isDelivered));
    assertThat(sum(day, RecentOutcomes.Hour::waiting))
        .as(what)
        .isEqualTo(count(fates, each -> each.first() == null));
    assertThat(sum(day, RecentOutcomes.Hour::retrying))
        .as(what)
        .isEqualTo(count(fates, each -> each.isOpen() && each.first() != null));
    assertThat(sum(day, hour -> hour.exhausted() + hour.skipped()))
        .as(what)
        .isEqualTo(count(fates, Fate::isUndelivered));

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
    assertThat(listed.getLong("pending")).as(what).isEqualTo(count(fates, Fate::isOpen));
  }

  private static PendingDeliveries pending() {
    return new PendingDeliveries(
        service.database, new LoggedDeliveries(service.database, WrittenOutcomes.DAYS));
  }

  private static @Nullable DeliveryState any(Random random, List<DeliveryState> states) {
    int nth = random.nextInt(states.size() + 1);
    return nth == states.size() ? null : states.get(nth);
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

  private void erase(int nth) {
    UUID capture =
        service
            .query(
                "select capture_id from stream where workspace_id = '%s' and position = %d"
                    .formatted(workspace, nth + 1))
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
