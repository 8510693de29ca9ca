package io.egress.dispatcher.deliver;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.egress.dispatcher.DispatcherApp;
import io.egress.dispatcher.Fleet;
import io.egress.platform.kafka.RecordPublisher.Message;
import io.egress.transcript.stream.ProcessedCapture;
import io.egress.webhook.delivery.Delivery;
import io.egress.webhook.delivery.Delivery.Origin;
import io.vertx.core.buffer.Buffer;
import io.vertx.core.json.JsonObject;
import java.time.Instant;
import java.util.List;
import java.util.Map;
import java.util.UUID;
import org.apache.kafka.clients.admin.Admin;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.parallel.Execution;
import org.junit.jupiter.api.parallel.ExecutionMode;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Records of a release that has not been made yet are left to its processes. */
@Execution(ExecutionMode.CONCURRENT)
class NewerRecordsTest {

  /** One partition, so that the record stands before the others. */
  private final Fleet fleet = new Fleet(Map.of("EGRESS_TOPIC_PARTITIONS", "1"));

  private final UUID workspace = UUID.randomUUID();

  @AfterEach
  void close() {
    fleet.close();
  }

  @ParameterizedTest
  @ValueSource(strings = {"{\"format\":2}", "{\"origin\":\"digest\"}"})
  void aDeliveryIsLeftAndTheOthersAreMade(String newer) throws Exception {
    Fleet.Provisioned endpoint = fleet.endpoint(workspace, "crm");
    DispatcherApp dispatcher = fleet.dispatcher();
    Delivery delivery =
        Delivery.first(
            UUID.randomUUID(), endpoint.id(), UUID.randomUUID(), 1, Origin.LIVE, Instant.now());
    publish(
        fleet.topics.deliveries(),
        endpoint.id(),
        delivery.encode().toJsonObject().mergeIn(new JsonObject(newer)));

    fleet.captures(workspace, 5);
    await().until(() -> fleet.count("deliveries where state = 'delivered'") == 5);
    fleet.stop(dispatcher);

    assertThat(committed(fleet.topics.dispatcherGroup(), fleet.topics.deliveries())).isZero();

    // Whoever takes the partition reads it again, and makes no delivery twice.
    fleet.stop(fleet.dispatcher());
    assertThat(committed(fleet.topics.dispatcherGroup(), fleet.topics.deliveries())).isZero();
    assertThat(fleet.receivers.count()).isEqualTo(5);
  }

  @Test
  void aCaptureIsLeftWithWhatFollowsIt() throws Exception {
    fleet.endpoint(workspace, "crm");
    DispatcherApp dispatcher = fleet.dispatcher();
    fleet.captures(workspace, 5);
    await().until(() -> fleet.receivers.count() == 5);
    JsonObject capture =
        new ProcessedCapture(workspace, 6, UUID.randomUUID(), Instant.now())
            .encode()
            .toJsonObject();
    publish(fleet.topics.capturesProcessed(), workspace, capture.put("format", 2));

    fleet.captures(workspace, 5);
    String group = fleet.topics.fanOutGroup();
    String topic = fleet.topics.capturesProcessed();
    await().until(() -> committed(group, topic) == 5);
    fleet.stop(dispatcher);

    assertThat(committed(group, topic)).isEqualTo(5);
    assertThat(fleet.receivers.count()).isEqualTo(5);
  }

  private void publish(String topic, UUID key, JsonObject record) {
    Fleet.await(
        fleet.publisher.publish(
            List.of(new Message(topic, key.toString(), Buffer.buffer(record.encode())))));
  }

  /** The group's next offset in a topic's only partition; 0 if it has not committed any. */
  private long committed(String group, String topic) throws Exception {
    try (Admin admin =
        Admin.create(Map.of("bootstrap.servers", fleet.settings.kafka().bootstrap()))) {
      return admin
          .listConsumerGroupOffsets(group)
          .partitionsToOffsetAndMetadata()
          .get()
          .entrySet()
          .stream()
          .filter(each -> each.getKey().topic().equals(topic) && each.getValue() != null)
          .mapToLong(each -> each.getValue().offset())
          .findFirst()
          .orElse(0);
    }
  }
}
