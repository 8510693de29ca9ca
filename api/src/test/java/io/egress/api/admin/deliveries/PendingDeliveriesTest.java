package io.egress.api.admin.deliveries;

import static java.util.Objects.requireNonNull;
import static org.assertj.core.api.Assertions.assertThat;

import io.egress.api.Service;
import io.egress.api.admin.deliveries.PendingDeliveries.Pending;
import io.egress.webhook.deliverylog.DeliveryState;
import io.egress.webhook.deliverylog.LogMaintenance;
import io.egress.webhook.deliverylog.LoggedDeliveries;
import io.egress.webhook.endpoint.EndpointStore;
import io.vertx.core.json.JsonArray;
import io.vertx.core.json.JsonObject;
import java.time.Instant;
import java.util.List;
import java.util.UUID;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/** Outcomes are written into the log as a dispatcher would; {@link NumbersModelTest} mixes them. */
class PendingDeliveriesTest {
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
  void whatWasNotAttemptedAndWhatIsToBeAttemptedAgainIsPending() {
    written.captures(2);
    UUID endpoint = written.endpoint();
    written.captures(10);
    written.write(endpoint, 0, 5, DeliveryState.DELIVERED);
    written.write(endpoint, 5, 6, DeliveryState.EXHAUSTED);
    written.write(endpoint, 6, 7, DeliveryState.SKIPPED);
    written.write(endpoint, 7, 8, DeliveryState.PENDING);

    Pending pending = pending(endpoint);
    assertThat(pending.captures()).isEqualTo(3);
    assertThat(pending.oldest()).isEqualTo(enteredAt(10));
    assertThat(pending.hasMore()).isFalse();
  }

  /** As after two days without a dispatcher. */
  @Test
  void whatWasNeverAttemptedIsPendingHoweverOldItIs() {
    UUID endpoint = written.endpoint();
    written.captures(4);
    age(1, 2, 49);
    age(3, 3, 48);
    written.write(endpoint, 0, 1, DeliveryState.DELIVERED);
    compared(endpoint, 1);

    assertThat(pending(endpoint).captures()).isEqualTo(3);
    assertThat(pending(endpoint).oldest()).isEqualTo(enteredAt(2));
  }

  @Test
  void whatAReplayHasDeliveredIsNotPending() {
    UUID endpoint = written.endpoint();
    written.captures(3);
    written.write(endpoint, 0, 3, DeliveryState.PENDING);
    written.write(endpoint, 0, 2, DeliveryState.DELIVERED, UUID.randomUUID());

    assertThat(pending(endpoint).captures()).isEqualTo(1);
    assertThat(pending(endpoint).oldest()).isEqualTo(enteredAt(3));
  }

  @Test
  void nothingIsPendingOfAnEndpointThatIsUpToDate() {
    UUID endpoint = written.endpoint();
    written.captures(2);
    written.write(endpoint, 0, 2, DeliveryState.DELIVERED);

    assertThat(pending(endpoint)).isEqualTo(Pending.NONE);
  }

  @Test
  void onlyWhatTheFilterWantsIsPending() {
    UUID endpoint = written.endpoint(new JsonObject().put("modes", new JsonArray().add("manual")));
    for (String mode : List.of("manual", "ambient", "manual", "ambient", "manual")) {
      service.put(UUID.randomUUID(), Service.capture(workspace).put("mode", mode));
    }
    written.write(endpoint, 0, 1, DeliveryState.DELIVERED);

    assertThat(pending(endpoint).captures()).isEqualTo(2);
    assertThat(pending(endpoint).oldest()).isEqualTo(enteredAt(3));
    assertThat(pending(endpoint).hasMore()).isFalse();
  }

  private Pending pending(UUID endpoint) {
    return requireNonNull(
        new PendingDeliveries(
                service.database, new LoggedDeliveries(service.database, WrittenOutcomes.DAYS))
            .of(Service.await(new EndpointStore(service.database).list(workspace)))
            .get(endpoint));
  }

  private Instant enteredAt(long position) {
    return service
        .query(
            "select entered_at from stream where workspace_id = '%s' and position = %d"
                .formatted(workspace, position))
        .iterator()
        .next()
        .getOffsetDateTime(0)
        .toInstant();
  }

  private void age(long first, long last, int hours) {
    service.query(
        """
        set session_replication_role = replica;
        update stream set entered_at = entered_at - interval '%d hours'
          where workspace_id = '%s' and position between %d and %d;
        reset session_replication_role\
        """
            .formatted(hours, workspace, first, last));
  }

  private void compared(UUID endpoint, long position) {
    service.query(
        "insert into reconciliations (endpoint_id, position) values ('%s', %d)"
                .formatted(endpoint, position)
            + " on conflict (endpoint_id) do update set position = excluded.position");
  }
}
