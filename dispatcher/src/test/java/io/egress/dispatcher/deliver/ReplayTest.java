package io.egress.dispatcher.deliver;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.egress.dispatcher.Arrival;
import io.egress.dispatcher.Fleet;
import io.egress.dispatcher.Receivers.Behaviour;
import io.egress.webhook.delivery.DeliveryId;
import io.egress.webhook.endpoint.EndpointChange;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.UUID;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.parallel.Execution;
import org.junit.jupiter.api.parallel.ExecutionMode;

/** What replays and redeliveries send to an endpoint. */
@Execution(ExecutionMode.CONCURRENT)
class ReplayTest {
  private static final Behaviour ACCEPTING = (request, _) -> request.response().end();
  private static final Behaviour FAILING =
      (request, _) -> request.response().setStatusCode(503).end();

  private final Fleet fleet = new Fleet(Map.of("EGRESS_RETRY_SCHEDULE", "200ms,200ms"));
  private final UUID workspace = UUID.randomUUID();

  @AfterEach
  void close() {
    fleet.close();
  }

  @Test
  void redeliversExactlyExhaustedAndSkippedCaptures() {
    Fleet.Provisioned endpoint = fleet.endpoint(workspace, "crm");
    fleet.dispatcher();
    List<UUID> before = fleet.captures(workspace, 5);
    await().until(() -> fleet.count("deliveries where state = 'delivered'") == 5);
    fleet.receivers.behave("crm", FAILING);
    List<UUID> missed = new ArrayList<>(fleet.captures(workspace, 7));
    await().until(() -> fleet.count("deliveries where state = 'exhausted'") == 7);
    fleet.change(endpoint, EndpointChange.pausing(true));
    missed.addAll(fleet.captures(workspace, 4));
    await().until(() -> fleet.count("deliveries where state = 'skipped'") == 4);
    fleet.change(endpoint, EndpointChange.pausing(false));
    fleet.receivers.behave("crm", ACCEPTING);
    int arrived = fleet.receivers.arrivals("crm").size();

    UUID replay = fleet.replay(endpoint, 1, 16, true);

    await().until(() -> fleet.count("deliveries where state = 'delivered'") == 16);
    List<Arrival> again = fleet.receivers.arrivals("crm").subList(arrived, arrived + 11);
    assertThat(again)
        .extracting(Arrival::captureId)
        .containsExactlyInAnyOrderElementsOf(missed)
        .doesNotContainAnyElementsOf(before);
    assertThat(again)
        .allSatisfy(each ->
            assertThat(each.deliveryId()).isEqualTo(DeliveryId.inReplay(replay, each.captureId())));
    assertThat(fleet.count("deliveries where state = 'exhausted'"))
        .as("what became of the first deliveries stays on record")
        .isEqualTo(7);
    assertThat(fleet.receivers.arrivals("crm")).hasSize(arrived + 11);
  }

  @Test
  void retriesAsOftenAsAFirstDelivery() {
    Fleet.Provisioned endpoint = fleet.endpoint(workspace, "crm");
    fleet.dispatcher();
    fleet.captures(workspace, 1);
    await().until(() -> fleet.count("deliveries where state = 'delivered'") == 1);
    fleet.receivers.behave("crm", FAILING);

    fleet.replay(endpoint, 1, 1, false);

    await().until(() -> fleet.count("deliveries where state = 'exhausted'") == 1);
    assertThat(fleet.count("deliveries where replay_id is not null and attempts = 3")).isEqualTo(1);
    assertThat(fleet.receivers.arrivals("crm")).hasSize(4);
  }

  /** Nothing that was published is attempted after the cancellation, and nothing else is harmed. */
  @Test
  void cancelingSkipsPublishedDeliveriesAndRetries() {
    Fleet.Provisioned endpoint = fleet.endpoint(workspace, "crm");
    fleet.dispatcher();
    fleet.captures(workspace, 400);
    await().until(() -> fleet.count("deliveries where state = 'delivered'") == 400);
    fleet.receivers.behave(
        "crm", (request, nth) -> fleet.vertx.setTimer(100, _ -> FAILING.answer(request, nth)));

    UUID replay = fleet.replay(endpoint, 1, 400, false);
    await().until(() -> fleet.count("attempts where outcome = 'status'") > 10);
    fleet.cancel(replay);
    await()
        .until(() ->
            fleet.count("deliveries where state = 'skipped'") > 0
                && fleet.count("deliveries where state = 'pending'") == 0);
    fleet.receivers.behave("crm", ACCEPTING);
    fleet.captures(workspace, 3);

    await().until(() -> fleet.count("deliveries where state = 'delivered'") == 403);
    assertThat(fleet.count("deliveries where replay_id is not null and state = 'delivered'"))
        .isZero();
    assertThat(fleet.count("backfills where published < 400")).isEqualTo(1);
  }

  /** Somebody waits for a redelivery, so it does not queue behind a replay. */
  @Test
  void aRedeliveryOvertakesAReplay() {
    Fleet.Provisioned endpoint = fleet.endpoint(workspace, "crm");
    fleet.dispatcher();
    List<UUID> captures = fleet.captures(workspace, 300);
    await().until(() -> fleet.count("deliveries where state = 'delivered'") == 300);
    fleet.receivers.behave(
        "crm", (request, _) -> fleet.vertx.setTimer(300, _ -> request.response().end()));

    fleet.replay(endpoint, 1, 299, false);
    await().until(() -> fleet.receivers.arrivals("crm").size() > 310);
    UUID redelivery = fleet.redelivery(endpoint, 300);
    UUID awaited = DeliveryId.inReplay(redelivery, captures.get(299));
    await()
        .until(() ->
            fleet.receivers.arrivals("crm").stream()
                .anyMatch(each -> each.deliveryId().equals(awaited)));

    assertThat(fleet.receivers.arrivals("crm").size()).isLessThan(599);
  }
}
