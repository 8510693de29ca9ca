package io.egress.dispatcher.deliver;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.egress.dispatcher.DispatcherApp;
import io.egress.dispatcher.Fleet;
import io.egress.dispatcher.Records;
import io.egress.platform.kafka.RecordPublisher.Message;
import io.egress.transcript.stream.ProcessedCapture;
import io.egress.webhook.delivery.Delivery;
import io.egress.webhook.delivery.Delivery.Origin;
import io.egress.webhook.endpoint.EndpointChange;
import io.egress.webhook.endpoint.Subscribers;
import io.vertx.core.buffer.Buffer;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse.BodyHandlers;
import java.time.Instant;
import java.util.List;
import java.util.Map;
import java.util.UUID;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.parallel.Execution;
import org.junit.jupiter.api.parallel.ExecutionMode;

/** Whoever can write to Kafka can name any capture and any endpoint. */
@Execution(ExecutionMode.CONCURRENT)
class ForeignRecordsTest {
  private final Fleet fleet = new Fleet(Map.of("EGRESS_RETRY_SCHEDULE", "1s,1s"));
  private final UUID workspace = UUID.randomUUID();
  private final UUID other = UUID.randomUUID();

  @AfterEach
  void close() {
    fleet.close();
  }

  @Test
  void aDeliveryOfAnotherWorkspacesCaptureIsNeverSent() throws Exception {
    Fleet.Provisioned endpoint = fleet.endpoint(other, "crm");
    DispatcherApp dispatcher = fleet.dispatcher();
    UUID capture = fleet.captures(workspace, 1).get(0);
    UUID erased = fleet.captures(workspace, 1).get(0);
    fleet.query("select erase_capture('%s', null, 'requested')".formatted(erased));

    publish(endpoint, capture, Origin.LIVE);
    publish(endpoint, capture, Origin.UPDATE);
    publish(endpoint, erased, Origin.ERASURE);
    UUID own = fleet.captures(other, 1).get(0);

    await().until(() -> fleet.count("deliveries where state = 'delivered'") == 1);
    Records.awaitAllRead(fleet);
    assertThat(fleet.receivers.arrivals())
        .singleElement()
        .satisfies(arrival -> assertThat(arrival.captureId()).isEqualTo(own));
    assertThat(fleet.count("deliveries")).as("nothing is logged of them").isEqualTo(1);
    assertThat(refused(dispatcher, "delivery")).isEqualTo(3);
  }

  /** What is recorded as skipped is listed in the workspace of the endpoint. */
  @Test
  void nothingIsLoggedOfOneToAPausedEndpoint() throws Exception {
    Fleet.Provisioned endpoint = fleet.endpoint(other, "crm");
    fleet.change(endpoint, EndpointChange.pausing(true));
    DispatcherApp dispatcher = fleet.dispatcher();
    UUID capture = fleet.captures(workspace, 1).get(0);

    publish(endpoint, capture, Origin.LIVE);

    await().until(() -> refused(dispatcher, "delivery") == 1);
    Records.awaitAllRead(fleet);
    assertThat(fleet.count("deliveries")).isZero();
  }

  @Test
  void aCaptureUnderAnotherWorkspaceIsNotFannedOut() throws Exception {
    fleet.endpoint(other, "crm");
    DispatcherApp dispatcher = fleet.dispatcher();
    UUID capture = fleet.captures(workspace, 1).get(0);

    publish(
        fleet.topics.capturesProcessed(),
        other.toString(),
        new ProcessedCapture(other, 1, capture, Instant.now()).encode());
    UUID own = fleet.captures(other, 1).get(0);

    await().until(() -> fleet.count("deliveries where state = 'delivered'") == 1);
    Records.awaitAllRead(fleet);
    assertThat(Records.of(fleet, fleet.topics.deliveries()))
        .extracting(Delivery::captureId)
        .containsExactly(own);
    assertThat(refused(dispatcher, "capture")).isEqualTo(1);
  }

  @Test
  void aFalseRecordSaysNothingAboutTheTrueOneBesideIt() {
    UUID capture = fleet.captures(workspace, 1).get(0);
    ProcessedCapture truth = new ProcessedCapture(workspace, 1, capture, Instant.now());
    ProcessedCapture lie = new ProcessedCapture(other, 1, capture, Instant.now());
    Subscribers read = Fleet.await(Subscribers.of(fleet.database, List.of(truth, lie)));
    assertThat(read.isOwn(truth)).isTrue();
    assertThat(read.isOwn(lie)).isFalse();
  }

  private void publish(Fleet.Provisioned endpoint, UUID capture, Origin origin) {
    Delivery delivery =
        Delivery.first(UUID.randomUUID(), endpoint.id(), capture, 1, origin, Instant.now());
    publish(fleet.topics.deliveries(), endpoint.id().toString(), delivery.encode());
  }

  private void publish(String topic, String key, Buffer value) {
    Fleet.await(fleet.publisher.publish(List.of(new Message(topic, key, value, null))));
  }

  private static long refused(DispatcherApp dispatcher, String kind) throws Exception {
    String line = "egress_foreign_records_total{record=\"%s\"} ".formatted(kind);
    URI metrics =
        URI.create(
            "http://127.0.0.1:%d/metrics".formatted(dispatcher.internalPort().orElseThrow()));
    return HttpClient.newHttpClient()
        .send(HttpRequest.newBuilder(metrics).build(), BodyHandlers.ofString())
        .body()
        .lines()
        .filter(each -> each.startsWith(line))
        .mapToLong(each -> (long) Double.parseDouble(each.substring(line.length())))
        .findFirst()
        .orElse(0);
  }
}
