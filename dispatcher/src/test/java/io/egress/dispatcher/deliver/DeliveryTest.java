package io.egress.dispatcher.deliver;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatCode;
import static org.awaitility.Awaitility.await;

import com.stripe.net.Webhook;
import io.egress.dispatcher.Arrival;
import io.egress.dispatcher.Fleet;
import io.egress.webhook.delivery.DeliveryId;
import io.vertx.sqlclient.Row;
import java.nio.charset.StandardCharsets;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import java.util.UUID;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.parallel.Execution;
import org.junit.jupiter.api.parallel.ExecutionMode;

@Execution(ExecutionMode.CONCURRENT)
class DeliveryTest {

  private final Fleet fleet = new Fleet();
  private final UUID workspace = UUID.randomUUID();

  @AfterEach
  void close() {
    fleet.close();
  }

  @Test
  void deliversEveryCaptureToEveryEndpointOfItsWorkspaceOnce() {
    Fleet.Provisioned crm = fleet.endpoint(workspace, "crm");
    Fleet.Provisioned search = fleet.endpoint(workspace, "search");
    fleet.endpoint(UUID.randomUUID(), "foreign");
    fleet.dispatcher();

    List<UUID> captures = fleet.captures(workspace, 200, "Grüße, 世界, 🎙 \"\\ \u2028");

    await().until(() -> fleet.count("deliveries where state = 'delivered'") == 400);
    assertThat(fleet.receivers.count()).isEqualTo(400);
    check(crm, "crm", captures);
    check(search, "search", captures);
    assertThat(fleet.receivers.arrivals("foreign")).isEmpty();
    assertThat(fleet.count("attempts where outcome = 'delivered' and status = 204")).isEqualTo(400);
  }

  private void check(Fleet.Provisioned endpoint, String receiver, List<UUID> captures) {
    Set<UUID> seen = new HashSet<>();
    for (Arrival arrival : fleet.receivers.arrivals(receiver)) {
      assertThat(seen.add(arrival.captureId())).isTrue();
      assertThat(arrival.deliveryId()).isEqualTo(DeliveryId.of(endpoint.id(), arrival.captureId()));
      assertThat(arrival.envelope().getString("delivery_id"))
          .isEqualTo(arrival.deliveryId().toString());
      assertThat(arrival.event()).isEqualTo("capture.processed");
      assertThat(arrival.envelope().getString("event")).isEqualTo("capture.processed");
      assertThatCode(() ->
              Webhook.Signature.verifyHeader(
                  arrival.body().toString(StandardCharsets.UTF_8),
                  arrival.signature(),
                  endpoint.secret(),
                  300))
          .doesNotThrowAnyException();
    }
    assertThat(seen).containsExactlyInAnyOrderElementsOf(captures);
  }

  @Test
  void remembersEachDeliveryAndItsAttempt() {
    Fleet.Provisioned endpoint = fleet.endpoint(workspace, "crm");
    fleet.receivers.behave(
        "crm", (request, _) -> request.response().setStatusCode(202).end("thank you"));
    fleet.dispatcher();

    UUID capture = fleet.captures(workspace, 1).get(0);

    await().until(() -> fleet.count("deliveries") == 1);
    Row delivery = fleet.query("select * from deliveries").iterator().next();
    assertThat(delivery.getUUID("id")).isEqualTo(DeliveryId.of(endpoint.id(), capture));
    assertThat(delivery.getUUID("endpoint_id")).isEqualTo(endpoint.id());
    assertThat(delivery.getUUID("capture_id")).isEqualTo(capture);
    assertThat(delivery.getLong("position")).isEqualTo(1);
    assertThat(delivery.getString("state")).isEqualTo("delivered");
    assertThat(delivery.getInteger("attempts")).isEqualTo(1);
    assertThat(delivery.getString("last_outcome")).isEqualTo("delivered");
    assertThat(delivery.getValue("next_attempt_at")).isNull();
    Row attempt = fleet.query("select * from attempts").iterator().next();
    assertThat(attempt.getUUID("delivery_id")).isEqualTo(delivery.getUUID("id"));
    assertThat(attempt.getInteger("attempt")).isEqualTo(1);
    assertThat(attempt.getInteger("status")).isEqualTo(202);
    assertThat(attempt.getBuffer("answer").toString()).isEqualTo("thank you");
    assertThat(attempt.getInteger("duration_ms")).isBetween(0, 10_000);
  }
}
