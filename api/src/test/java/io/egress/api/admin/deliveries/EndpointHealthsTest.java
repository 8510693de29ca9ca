package io.egress.api.admin.deliveries;

import static java.util.Objects.requireNonNull;
import static org.assertj.core.api.Assertions.assertThat;

import io.egress.api.Service;
import io.egress.webhook.deliverylog.DeliveryState;
import io.egress.webhook.deliverylog.LogMaintenance;
import io.egress.webhook.endpoint.Endpoint;
import io.egress.webhook.endpoint.EndpointStore;
import java.time.Clock;
import java.util.List;
import java.util.UUID;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

class EndpointHealthsTest {
  private static Service service;

  private final UUID workspace = UUID.randomUUID();
  private WrittenOutcomes written;

  @BeforeAll
  static void start() {
    service = Service.start();
    new LogMaintenance(service.database, WrittenOutcomes.DAYS).run();
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
  void anEndpointOfWhichEverythingFailedIsDown() {
    UUID endpoint = written.endpoint();
    written.captures(42);
    written.write(endpoint, 0, 42, DeliveryState.EXHAUSTED);

    EndpointHealth health = health(endpoint);
    assertThat(health.state()).isEqualTo(EndpointHealth.State.DOWN);
    assertThat(health.attempts()).isEqualTo(20);
    assertThat(health.succeeded()).isZero();
    assertThat(health.lastSuccess()).isNull();
    assertThat(health.lastOutcome()).isEqualTo("status 500");
    assertThat(health.failed()).isEqualTo(42);
  }

  @Test
  void anEndpointIsHealthyAgainOnceAReplayDelivered() {
    UUID endpoint = written.endpoint();
    written.captures(30);
    written.write(endpoint, 0, 30, DeliveryState.EXHAUSTED);
    UUID replay = replay(endpoint, 1, 30);
    written.write(endpoint, 0, 28, DeliveryState.DELIVERED, replay);
    written.write(endpoint, 28, 29, DeliveryState.PENDING, replay);

    EndpointHealth health = health(endpoint);
    assertThat(health.state()).isEqualTo(EndpointHealth.State.HEALTHY);
    assertThat(health.lastSuccess()).isNotNull();
    assertThat(health.failed()).as("one is pending, one was not sent again").isEqualTo(1);
  }

  @Test
  void captureOfWhichOnlyAReplayFailedCountsUnlessItWasDeliveredAtFirst() {
    written.captures(4);
    UUID endpoint = written.endpoint();
    written.captures(4);
    written.write(endpoint, 0, 4, DeliveryState.DELIVERED);
    UUID replay = replay(endpoint, 1, 8);
    written.write(endpoint, -2, 2, DeliveryState.EXHAUSTED, replay);

    assertThat(health(endpoint).failed()).isEqualTo(2);
    service.query("update backfills set cancelled_at = now(), finished_at = now()");
    assertThat(health(endpoint).failed()).as("owed by a canceled replay").isZero();
  }

  @Test
  void erasedCapturesAreNotUndelivered() {
    UUID endpoint = written.endpoint();
    written.captures(3);
    written.write(endpoint, 0, 2, DeliveryState.EXHAUSTED);
    written.write(endpoint, 2, 3, DeliveryState.SKIPPED);
    service.query(
        "select erase_capture(capture_id, 'test', 'test') from stream"
            + " where workspace_id = '%s' and position >= 2".formatted(workspace));

    assertThat(health(endpoint).failed()).isEqualTo(1);
    assertThat(health(endpoint).skipped()).isZero();
  }

  @Test
  void someFailuresAreTold() {
    UUID endpoint = written.endpoint();
    UUID other = written.endpoint();
    UUID untried = written.endpoint();
    written.captures(20);
    written.write(endpoint, 0, 10, DeliveryState.DELIVERED);
    written.write(endpoint, 10, 20, DeliveryState.PENDING);
    written.write(other, 0, 1, DeliveryState.EXHAUSTED);
    written.write(other, 1, 18, DeliveryState.DELIVERED);
    written.write(other, 18, 20, DeliveryState.SKIPPED);

    assertThat(health(endpoint).state()).isEqualTo(EndpointHealth.State.FAILING);
    assertThat(health(endpoint).succeeded()).isEqualTo(10);
    assertThat(health(other).state()).isEqualTo(EndpointHealth.State.HEALTHY);
    assertThat(health(other).undelivered()).isEqualTo(3);
    assertThat(health(other).skipped()).isEqualTo(2);
    assertThat(health(untried).state()).isEqualTo(EndpointHealth.State.UNTRIED);
  }

  @Test
  void troubledEndpointsComeFirst() {
    UUID healthy = written.endpoint();
    UUID failing = written.endpoint();
    written.captures(2);
    written.write(healthy, 0, 2, DeliveryState.DELIVERED);
    written.write(failing, 0, 2, DeliveryState.EXHAUSTED);

    List<Endpoint> sorted = healths().troubledFirst(workspace, endpoints());
    assertThat(sorted).extracting(Endpoint::id).containsExactly(failing, healthy);
  }

  private UUID replay(UUID endpoint, long first, long last) {
    UUID id = UUID.randomUUID();
    service.query(
        "insert into backfills (id, endpoint_id, origin, first_position, next_position, last_position)"
            + " values ('%s', '%s', 'replay', %d, %d, %d)"
                .formatted(id, endpoint, first, last + 1, last));
    return id;
  }

  private EndpointHealth health(UUID endpoint) {
    return requireNonNull(healths().of(endpoints()).get(endpoint));
  }

  private List<Endpoint> endpoints() {
    return Service.await(new EndpointStore(service.database).list(workspace));
  }

  private static EndpointHealths healths() {
    return new EndpointHealths(service.database, WrittenOutcomes.DAYS, Clock.systemUTC());
  }
}
