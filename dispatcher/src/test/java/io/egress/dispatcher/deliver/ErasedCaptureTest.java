package io.egress.dispatcher.deliver;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.egress.dispatcher.Fleet;
import io.egress.webhook.delivery.Event;
import io.egress.webhook.endpoint.NewEndpoint;
import io.vertx.core.http.HttpServerRequest;
import io.vertx.core.json.JsonObject;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.UUID;
import java.util.concurrent.CompletableFuture;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.parallel.Execution;
import org.junit.jupiter.api.parallel.ExecutionMode;

/** What is owed of a capture ends when it is erased. */
@Execution(ExecutionMode.CONCURRENT)
class ErasedCaptureTest {

  private final Fleet fleet = new Fleet(Map.of("EGRESS_RETRY_SCHEDULE", "2s,1h"));
  private final UUID workspace = UUID.randomUUID();

  @AfterEach
  void close() {
    fleet.close();
  }

  @Test
  void itsRetriesAreSkippedAndOthersAreDelivered() {
    fleet.receivers.behave("crm", (request, _) -> request.response().setStatusCode(503).end());
    fleet.endpoint(workspace, "crm");
    fleet.dispatcher();
    UUID erased = fleet.captures(workspace, 1).get(0);
    UUID other = fleet.captures(workspace, 1).get(0);
    await().until(() -> fleet.count("attempts") == 2);

    erase(erased);
    fleet.receivers.behave("crm", (request, _) -> request.response().end());

    await().until(() -> fleet.count(of(other, "delivered")) == 1);
    await().until(() -> fleet.count(of(erased, "skipped")) == 1);
    assertThat(fleet.receivers.arrivals("crm"))
        .filteredOn(arrival -> arrival.captureId().equals(erased))
        .hasSize(1);
  }

  @Test
  void theAnswerToAnAttemptThatWasInFlightIsNotKept() {
    CompletableFuture<HttpServerRequest> inFlight = new CompletableFuture<>();
    fleet.receivers.behave("crm", (request, _) -> inFlight.complete(request));
    fleet.endpoint(workspace, "crm");
    fleet.dispatcher();
    UUID erased = fleet.captures(workspace, 1).get(0);
    HttpServerRequest request = inFlight.join();

    erase(erased);
    request
        .response()
        .setStatusCode(500)
        .putHeader("x-said", "the text")
        .end("cannot index: the text of the conversation");

    await().until(() -> fleet.count("attempts where status = 500") == 1);
    assertThat(fleet.count("attempts where answer is not null")).isZero();
    assertThat(fleet.count("attempts where response_headers is not null")).isZero();
    assertThat(fleet.count("attempts where signature is not null")).isEqualTo(1);
  }

  @Test
  void endpointsThatAskAreToldOnceAndWithRetries() {
    CompletableFuture<Void> refusedOnce = new CompletableFuture<>();
    fleet.receivers.behave(
        "crm",
        (request, _) -> {
          boolean refuses =
              "capture.erased".equals(request.getHeader("x-service-event"))
                  && refusedOnce.complete(null);
          request.response().setStatusCode(refuses ? 503 : 204).end();
        });
    fleet.endpoint(workspace, told("crm", false));
    fleet.endpoint(workspace, "search");
    fleet.dispatcher();
    List<UUID> captures = fleet.captures(workspace, 4);
    fleet.endpoint(workspace, told("late", false));
    fleet.endpoint(workspace, told("history", true));
    await().until(() -> fleet.count("deliveries where state = 'delivered'") == 12);

    erase(captures.get(1));
    erase(captures.get(2));

    await().until(() -> toldOf("crm").size() == 3);
    await().until(() -> toldOf("history").size() == 2);
    await()
        .until(
            () -> fleet.count("deliveries where origin = 'erasure' and state = 'delivered'") == 4);
    assertThat(toldOf("crm")).containsOnly(captures.get(1), captures.get(2));
    assertThat(toldOf("history")).containsOnly(captures.get(1), captures.get(2));
    assertThat(toldOf("late")).as("it was never owed them").isEmpty();
    assertThat(toldOf("search")).as("it did not ask").isEmpty();
    JsonObject envelope =
        fleet.receivers.arrivals("history").stream()
            .map(arrival -> arrival.body().toJsonObject())
            .filter(body -> body.getString("event").equals("capture.erased"))
            .findFirst()
            .orElseThrow();
    assertThat(envelope.fieldNames()).containsExactly("event", "delivery_id", "emitted_at", "data");
    assertThat(envelope.getJsonObject("data").fieldNames())
        .containsExactly("id", "erased_at", "reason", "emitted_at");
    assertThat(envelope.getJsonObject("data").getString("reason")).isEqualTo("requested");
  }

  @Test
  void erasuresInWhateverOrderAreOneBackfillOfAnEndpoint() {
    Fleet.Provisioned endpoint = fleet.endpoint(workspace, told("crm", false));
    fleet.query("update endpoints set paused = true");
    List<UUID> captures = new ArrayList<>(fleet.captures(workspace, 40));
    Collections.shuffle(captures);
    captures.forEach(this::erase);

    assertThat(fleet.count("backfills where origin = 'erasure'")).isZero();
    assertThat(fleet.count("erasure_backfills where endpoint_id = '%s'".formatted(endpoint.id())))
        .isEqualTo(1);
    fleet.query("update endpoints set paused = false");
    fleet.dispatcher();
    await().until(() -> toldOf("crm").size() == 40);
    assertThat(toldOf("crm")).containsExactlyInAnyOrderElementsOf(captures);
    await().until(() -> fleet.count("erasure_backfills where next_number <= last_number") == 0);
  }

  private NewEndpoint told(String receiver, boolean fullHistory) {
    return new NewEndpoint(
        Fleet.spec(fleet.receivers.url(receiver), Map.of("events", Set.of(Event.CAPTURE_ERASED))),
        fullHistory);
  }

  private List<UUID> toldOf(String receiver) {
    return fleet.receivers.arrivals(receiver).stream()
        .filter(
            arrival -> arrival.body().toJsonObject().getString("event").equals("capture.erased"))
        .map(arrival -> arrival.captureId())
        .toList();
  }

  private void erase(UUID capture) {
    fleet.query("select erase_capture('%s', null, 'requested')".formatted(capture));
  }

  private static String of(UUID capture, String state) {
    return "deliveries where capture_id = '%s' and state = '%s'".formatted(capture, state);
  }
}
