package io.egress.api.admin.deliveries;

import static java.util.Objects.requireNonNull;
import static org.assertj.core.api.Assertions.assertThat;

import io.egress.api.Service;
import io.egress.api.admin.deliveries.RecentOutcomes.Day;
import io.egress.api.admin.deliveries.RecentOutcomes.Hour;
import io.egress.webhook.deliverylog.DeliveryState;
import io.egress.webhook.deliverylog.LogDays;
import io.egress.webhook.deliverylog.LogMaintenance;
import io.egress.webhook.endpoint.Endpoint;
import io.egress.webhook.endpoint.EndpointStore;
import io.vertx.core.json.JsonArray;
import io.vertx.core.json.JsonObject;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.UUID;
import java.util.function.ToLongFunction;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/** Outcomes are written into the log as a dispatcher would. */
class RecentOutcomesTest {
  private static final LogDays DAYS = WrittenOutcomes.DAYS;

  private static Service service;

  private final UUID workspace = UUID.randomUUID();
  private WrittenOutcomes written;

  @BeforeAll
  static void start() {
    service = Service.start();
    new LogMaintenance(service.database, DAYS).run();
  }

  @BeforeEach
  void open() {
    written = new WrittenOutcomes(service, workspace);
  }

  @AfterAll
  static void stop() {
    service.close();
  }

  @Test
  void countsExactlyWhenTheHourHadFewCaptures() {
    captures(3);
    UUID endpoint = endpoint();
    UUID other = endpoint();
    captures(10);
    write(endpoint, 0, 4, DeliveryState.DELIVERED);
    write(endpoint, 4, 6, DeliveryState.EXHAUSTED);
    write(endpoint, 6, 7, DeliveryState.SKIPPED);
    write(endpoint, 7, 8, DeliveryState.PENDING);

    Day day = day(endpoint, Instant.now());

    assertThat(totals(day)).containsExactly(4L, 2L, 1L, 2L, 1L);
    assertThat(day.hours()).hasSize(24);
    assertThat(totals(day(other, Instant.now()))).containsExactly(0L, 10L, 0L, 0L, 0L);
  }

  @Test
  void countsExactlyWhenTheHourHadManyCaptures() {
    UUID endpoint = endpoint();
    captures(100);
    write(endpoint, 0, 49, DeliveryState.DELIVERED);
    write(endpoint, 49, 50, DeliveryState.EXHAUSTED);

    Day day = day(endpoint, Instant.now());

    assertThat(totals(day)).containsExactly(49L, 50L, 0L, 1L, 0L);
  }

  /** What is written again, after a crash for instance, changes nothing. */
  @Test
  void countsOnceWhatIsWrittenTwice() {
    UUID endpoint = endpoint();
    captures(6);
    write(endpoint, 0, 3, DeliveryState.PENDING);
    write(endpoint, 0, 2, DeliveryState.PENDING);
    write(endpoint, 0, 3, DeliveryState.DELIVERED);
    write(endpoint, 0, 3, DeliveryState.EXHAUSTED);

    assertThat(totals(day(endpoint, Instant.now()))).containsExactly(3L, 3L, 0L, 0L, 0L);
  }

  @Test
  void whatAReplayDeliversIsDelivered() {
    UUID endpoint = endpoint();
    captures(20);
    write(endpoint, 0, 10, DeliveryState.DELIVERED);
    write(endpoint, 10, 18, DeliveryState.EXHAUSTED);
    write(endpoint, 18, 20, DeliveryState.SKIPPED);
    UUID replay = UUID.randomUUID();
    write(endpoint, 10, 15, DeliveryState.DELIVERED, replay);
    write(endpoint, 15, 16, DeliveryState.PENDING, replay);
    write(endpoint, 16, 19, DeliveryState.EXHAUSTED, replay);

    assertThat(totals(day(endpoint, Instant.now()))).containsExactly(15L, 0L, 1L, 2L, 2L);
  }

  @Test
  void coversTheLastDayOnly() {
    UUID endpoint = endpoint();
    captures(5);

    assertThat(totals(day(endpoint, Instant.now().plus(Duration.ofHours(25))))).containsOnly(0L);
    assertThat(totals(day(endpoint, Instant.now().plus(Duration.ofHours(22)))).get(1)).isEqualTo(5);
  }

  @Test
  void onlyWhatTheFilterWantsWaits() {
    UUID endpoint = written.endpoint(new JsonObject().put("modes", new JsonArray().add("manual")));
    for (String mode : List.of("manual", "ambient", "manual", "ambient", "manual")) {
      service.put(UUID.randomUUID(), Service.capture(workspace).put("mode", mode));
    }
    write(endpoint, 0, 1, DeliveryState.DELIVERED);

    Day day = day(endpoint, Instant.now());

    assertThat(totals(day)).containsExactly(1L, 2L, 0L, 0L, 0L);
  }

  private Day day(UUID endpoint, Instant now) {
    RecentOutcomes outcomes = new RecentOutcomes(service.database);
    List<Endpoint> endpoints = Service.await(new EndpointStore(service.database).list(workspace));
    return requireNonNull(outcomes.of(workspace, endpoints, now).get(endpoint));
  }

  /** Delivered, waiting, retrying, exhausted, skipped. */
  private static List<Long> totals(Day day) {
    List<ToLongFunction<Hour>> kinds =
        List.of(Hour::delivered, Hour::waiting, Hour::retrying, Hour::exhausted, Hour::skipped);
    return kinds.stream().map(kind -> day.hours().stream().mapToLong(kind).sum()).toList();
  }

  private UUID endpoint() {
    return written.endpoint();
  }

  private void captures(int count) {
    written.captures(count);
  }

  private void write(UUID endpoint, int first, int end, DeliveryState state) {
    written.write(endpoint, first, end, state);
  }

  private void write(UUID endpoint, int first, int end, DeliveryState state, UUID replay) {
    written.write(endpoint, first, end, state, replay);
  }
}
