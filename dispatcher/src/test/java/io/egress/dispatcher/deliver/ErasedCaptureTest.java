package io.egress.dispatcher.deliver;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.egress.dispatcher.Fleet;
import io.vertx.core.http.HttpServerRequest;
import java.time.Duration;
import java.util.Map;
import java.util.UUID;
import java.util.concurrent.CompletableFuture;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.parallel.Execution;
import org.junit.jupiter.api.parallel.ExecutionMode;

/** What is owed of a capture ends when it is erased. */
@Timeout(120)
@Execution(ExecutionMode.CONCURRENT)
class ErasedCaptureTest {
  private static final Duration PATIENCE = Duration.ofSeconds(60);

  private final Fleet fleet = new Fleet(Map.of("EGRESS_RETRY_SCHEDULE", "2s,1h"));
  private final UUID workspace = UUID.randomUUID();

  @AfterEach
  void close() {
    fleet.close();
  }

  @Test
  void itsRetriesAreSkippedAndOthersAreDelivered() {
    fleet.receivers.behave("crm", (request, nth) -> request.response().setStatusCode(503).end());
    fleet.endpoint(workspace, "crm");
    fleet.dispatcher();
    UUID erased = fleet.captures(workspace, 1).get(0);
    UUID other = fleet.captures(workspace, 1).get(0);
    await().atMost(PATIENCE).until(() -> fleet.count("attempts") == 2);

    erase(erased);
    fleet.receivers.behave("crm", (request, nth) -> request.response().end());

    await().atMost(PATIENCE).until(() -> fleet.count(of(other, "delivered")) == 1);
    await().atMost(PATIENCE).until(() -> fleet.count(of(erased, "skipped")) == 1);
    assertThat(fleet.receivers.arrivals("crm"))
        .filteredOn(arrival -> arrival.captureId().equals(erased))
        .hasSize(1);
  }

  @Test
  void theAnswerToAnAttemptThatWasInFlightIsNotKept() {
    CompletableFuture<HttpServerRequest> inFlight = new CompletableFuture<>();
    fleet.receivers.behave("crm", (request, nth) -> inFlight.complete(request));
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

    await().atMost(PATIENCE).until(() -> fleet.count("attempts where status = 500") == 1);
    assertThat(fleet.count("attempts where answer is not null")).isZero();
    assertThat(fleet.count("attempts where response_headers is not null")).isZero();
    assertThat(fleet.count("attempts where signature is not null")).isEqualTo(1);
  }

  private void erase(UUID capture) {
    fleet.query("select erase_capture('%s', null, 'requested')".formatted(capture));
  }

  private static String of(UUID capture, String state) {
    return "deliveries where capture_id = '%s' and state = '%s'".formatted(capture, state);
  }
}
