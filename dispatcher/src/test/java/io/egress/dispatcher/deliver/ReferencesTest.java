package io.egress.dispatcher.deliver;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.egress.dispatcher.Arrival;
import io.egress.dispatcher.Fleet;
import io.egress.webhook.delivery.Event;
import io.egress.webhook.endpoint.NewEndpoint;
import io.vertx.core.json.JsonObject;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.UUID;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.parallel.Execution;
import org.junit.jupiter.api.parallel.ExecutionMode;

/** Endpoints whose webhooks say only where a document is. */
@Execution(ExecutionMode.CONCURRENT)
class ReferencesTest {

  private final Fleet fleet = new Fleet(Map.of());
  private final UUID workspace = UUID.randomUUID();

  @AfterEach
  void close() {
    fleet.close();
  }

  @Test
  void getWhereTheDocumentIsInItsPlace() {
    fleet.endpoint(
        workspace,
        new NewEndpoint(
            Fleet.spec(
                fleet.receivers.url("index"),
                Map.of("payload", "reference", "events", Set.copyOf(Event.OF_CAPTURES))),
            false));
    fleet.endpoint(workspace, "crm");
    fleet.dispatcher();
    UUID capture = fleet.captures(workspace, 1).get(0);
    await().until(() -> fleet.count("deliveries where state = 'delivered'") == 2);

    fleet.revise(workspace, capture, "corrected");
    await().until(() -> fleet.count("deliveries where state = 'delivered'") == 3);

    List<Arrival> references = fleet.receivers.arrivals("index");
    assertThat(references)
        .extracting(arrival -> arrival.envelope().getString("event"))
        .containsExactly("capture.processed", "capture.updated");
    assertThat(references)
        .allSatisfy(arrival -> {
          JsonObject data = arrival.envelope().getJsonObject("data");
          assertThat(data.fieldNames()).containsExactly("id", "workspace_id", "url", "emitted_at");
          assertThat(data.getString("id")).isEqualTo(capture.toString());
          assertThat(data.getString("workspace_id")).isEqualTo(workspace.toString());
          assertThat(data.getString("url")).isEqualTo("/api/v1/captures/" + capture);
        });
    assertThat(fleet.receivers.arrivals("crm").get(0).envelope().getJsonObject("data").fieldNames())
        .contains("segments");
  }
}
