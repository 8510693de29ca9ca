package io.egress.api.admin.deliveries;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.egress.api.Service;
import io.egress.platform.kafka.KafkaClients;
import io.egress.platform.kafka.KafkaSettings;
import io.egress.platform.kafka.NeededTopic;
import io.egress.platform.kafka.RecordPublisher;
import io.egress.platform.kafka.TopicAdmin;
import io.egress.settings.Settings;
import io.egress.webhook.delivery.Delivery;
import io.egress.webhook.delivery.DeliveryId;
import io.egress.webhook.deliverylog.DeliveryLog;
import io.egress.webhook.deliverylog.DeliveryState;
import io.egress.webhook.deliverylog.LogDays;
import io.egress.webhook.deliverylog.LogEntry;
import io.egress.webhook.deliverylog.LogMaintenance;
import io.egress.webhook.queue.Topics;
import io.vertx.core.buffer.Buffer;
import io.vertx.core.json.JsonObject;
import io.vertx.sqlclient.Row;
import java.net.http.HttpResponse;
import java.time.Clock;
import java.time.Duration;
import java.time.Instant;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.UUID;
import org.apache.kafka.clients.admin.Admin;
import org.apache.kafka.clients.admin.OffsetSpec;
import org.apache.kafka.clients.consumer.OffsetAndMetadata;
import org.apache.kafka.common.TopicPartition;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.parallel.Execution;
import org.junit.jupiter.api.parallel.ExecutionMode;
import org.junit.jupiter.api.parallel.ResourceLock;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/**
 * No dispatcher runs here: records are published, consumed and logged as one would. One test after
 * the other, because they consume each other's records.
 */
@Execution(ExecutionMode.CONCURRENT)
@ResourceLock("offsets")
class VerificationApiTest {
  private static final LogDays DAYS = new LogDays(Clock.systemUTC(), Duration.ofDays(35));
  private static final int PARTITIONS = 4;

  private static Service service;
  private static KafkaSettings kafka;
  private static Topics topics;
  private static DeliveryLog log;

  private final UUID workspace = UUID.randomUUID();
  private final String path = "/internal/v1/workspaces/" + workspace;
  private UUID endpoint;

  @BeforeAll
  static void start() {
    service = Service.start();
    new LogMaintenance(service.database, DAYS).run();
    log = new DeliveryLog(service.database, DAYS);
    kafka = Settings.from(service.environment).kafka();
    topics = new Topics(kafka.topicPrefix());
    Service.await(
        TopicAdmin.ensure(
            service.vertx,
            kafka,
            List.of(
                NeededTopic.copartitioned(topics.deliveries(), Duration.ZERO),
                NeededTopic.copartitioned(topics.parked(), Duration.ZERO),
                NeededTopic.copartitioned(topics.retry("1m"), Duration.ZERO),
                NeededTopic.undelayed(topics.exhausted()))));
  }

  @AfterAll
  static void stop() {
    service.close();
  }

  @BeforeEach
  void endpoint() {
    endpoint = endpoint(false);
  }

  @Test
  void capturesNotFannedOutArePending() {
    captures(3);

    JsonObject verified = verify();

    assertThat(verified.getLong("pending")).isEqualTo(3);
    assertThat(verified.getLong("missing")).isZero();
    assertThat(verified.getLong("from_position")).isEqualTo(1);
    assertThat(verified.getLong("to_position")).isEqualTo(3);
    assertThat(verified.getValue("next_position")).isNull();
  }

  /** In whichever topic it waits. */
  @Test
  void aDeliveryWithoutOutcomeAndRecordIsMissing() throws Exception {
    List<UUID> captures = captures(5);
    consume(topics.fanOutGroup(), topics.capturesProcessed());
    publish(topics.deliveries(), captures.get(0));
    publish(topics.parked(), captures.get(1));
    publish(topics.retry("1m"), captures.get(2));
    publish(topics.exhausted(), captures.get(3));

    JsonObject verified = verify();

    assertThat(verified.getLong("pending")).isEqualTo(3);
    assertThat(verified.getLong("missing")).isEqualTo(2);
    assertThat(verified.getJsonArray("missing_capture_ids"))
        .containsExactlyInAnyOrder(captures.get(3).toString(), captures.get(4).toString());

    consume(topics.dispatcherGroup(), topics.parked());
    assertThat(verify().getLong("missing")).isEqualTo(3);
  }

  /** It cannot be known of what it is the delivery. */
  @Test
  void nothingIsMissingWhileARecordOfANewerReleaseWaits() throws Exception {
    List<UUID> captures = captures(2);
    consume(topics.fanOutGroup(), topics.capturesProcessed());
    assertThat(verify().getLong("missing")).isEqualTo(2);
    JsonObject newer = delivery(captures.get(0), null).encode().toJsonObject().put("format", 2);

    publish(topics.deliveries(), newer.toBuffer());

    assertThat(verify().getLong("missing")).isZero();
    assertThat(verify().getLong("pending")).isEqualTo(2);
    consume(topics.dispatcherGroup(), topics.deliveries());
  }

  @Test
  void anUnpublishedHistoryIsPending() throws Exception {
    captures(4);
    endpoint = endpoint(true);
    consume(topics.fanOutGroup(), topics.capturesProcessed());
    assertThat(verify().getLong("pending")).isEqualTo(4);

    service.query("update backfills set next_position = 3 where id = '" + endpoint + "'");
    JsonObject verified = verify();

    assertThat(verified.getLong("pending")).isEqualTo(2);
    assertThat(verified.getLong("missing")).isEqualTo(2);
  }

  @Test
  void whatAnEndpointIsBehindIsPendingUntilItWasPublished() throws Exception {
    captures(5);
    consume(topics.fanOutGroup(), topics.capturesProcessed());
    service.query("select fall_behind(array['%s'::uuid], array[2])".formatted(endpoint));
    assertThat(verify().getLong("pending")).as("from the second one on").isEqualTo(4);

    service.query("update catch_ups set next_position = 4, last_position = 4");
    JsonObject verified = verify();

    assertThat(verified.getLong("pending")).as("the fourth one").isEqualTo(1);
    assertThat(verified.getLong("missing")).isEqualTo(4);
  }

  @Test
  void countsEachCaptureOnceByItsBestOutcome() {
    List<UUID> captures = captures(7);
    UUID replay =
        UUID.fromString(
            new JsonObject(
                    service
                        .internal(
                            "POST",
                            path + "/endpoints/" + endpoint + "/replays",
                            new JsonObject().put("from_position", 1))
                        .body())
                .getString("id"));
    write(captures.get(0), null, DeliveryState.DELIVERED);
    write(captures.get(1), null, DeliveryState.PENDING);
    write(captures.get(2), null, DeliveryState.EXHAUSTED);
    write(captures.get(3), null, DeliveryState.SKIPPED);
    write(captures.get(4), null, DeliveryState.EXHAUSTED);
    write(captures.get(4), replay, DeliveryState.DELIVERED);
    write(captures.get(5), null, DeliveryState.EXHAUSTED);
    write(captures.get(5), replay, DeliveryState.PENDING);
    write(captures.get(6), null, DeliveryState.DELIVERED);
    write(captures.get(6), replay, DeliveryState.EXHAUSTED);

    JsonObject verified = verify();

    assertThat(verified.getLong("delivered")).isEqualTo(3);
    assertThat(verified.getLong("pending")).isEqualTo(2);
    assertThat(verified.getLong("exhausted")).isEqualTo(1);
    assertThat(verified.getLong("skipped")).isEqualTo(1);
    assertThat(verified.getLong("missing")).isZero();
    assertThat(verified.getLong("replayable")).isEqualTo(2);
  }

  /** Nothing is left to send, so no replay could ever settle it. */
  @Test
  void anErasedCaptureIsSettled() {
    List<UUID> captures = captures(3);
    write(captures.get(0), null, DeliveryState.DELIVERED);
    write(captures.get(1), null, DeliveryState.EXHAUSTED);
    write(captures.get(2), null, DeliveryState.SKIPPED);
    captures.forEach(
        id -> service.query("select erase_capture('%s', 'test', 'test')".formatted(id)));

    JsonObject verified = verify();

    assertThat(verified.getLong("delivered")).isEqualTo(1);
    assertThat(verified.getLong("erased")).isEqualTo(2);
    assertThat(verified.getLong("exhausted")).isZero();
    assertThat(verified.getLong("skipped")).isZero();
    assertThat(verified.getLong("replayable")).isZero();
  }

  /** A worker may be late: what is due has its record in Kafka until its outcome is written. */
  @Test
  void anOverdueRetryWithoutARecordIsMissing() throws Exception {
    List<UUID> captures = captures(3);
    consume(topics.fanOutGroup(), topics.capturesProcessed());
    Instant now = Instant.now();
    writeFailed(captures.get(0), now.minus(Duration.ofHours(1)));
    writeFailed(captures.get(1), now.minus(Duration.ofHours(1)));
    writeFailed(captures.get(2), now.plus(Duration.ofHours(1)));
    publish(topics.retry("1m"), captures.get(1));

    JsonObject verified = verify();

    assertThat(verified.getLong("pending")).isEqualTo(2);
    assertThat(verified.getJsonArray("missing_capture_ids"))
        .containsExactly(captures.get(0).toString());
  }

  /** Whether the capture was delivered before or not. */
  @Test
  void aReplayedDeliveryWithoutARecordIsMissing() throws Exception {
    List<UUID> captures = captures(4);
    consume(topics.fanOutGroup(), topics.capturesProcessed());
    UUID replay = UUID.randomUUID();
    for (UUID capture : captures) {
      write(capture, null, DeliveryState.DELIVERED);
      write(capture, replay, DeliveryState.PENDING);
    }
    assertThat(verify().getLong("missing_replays")).as("not overdue").isZero();
    service.query(
        "update deliveries set updated_at = now() - interval '2 minutes' where replay_id = '%s'"
            .formatted(replay));
    publish(topics.parked(), captures.get(0), replay);
    publish(topics.deliveries(), captures.get(1), null);

    JsonObject verified = verify();

    assertThat(verified.getLong("delivered")).isEqualTo(4);
    assertThat(verified.getLong("missing")).isZero();
    assertThat(verified.getLong("missing_replays")).isEqualTo(3);
  }

  @Test
  void startsAtTheRequestedPosition() {
    captures(4);

    JsonObject verified = verify("?from_position=3");

    assertThat(verified.getLong("from_position")).isEqualTo(3);
    assertThat(verified.getLong("pending")).isEqualTo(2);
  }

  @Test
  void showsNoEndpointOfAnotherWorkspace() {
    assertThat(
            service
                .internal(
                    "GET",
                    "/internal/v1/workspaces/"
                        + UUID.randomUUID()
                        + "/endpoints/"
                        + endpoint
                        + "/verification",
                    "")
                .statusCode())
        .isEqualTo(404);
  }

  @ParameterizedTest
  @ValueSource(
      strings = {"?from_position=0", "?from_position=x", "?from_position=1&from_position=2"})
  void refusesInvalidRequests(String query) {
    assertThat(
            service
                .internal("GET", path + "/endpoints/" + endpoint + "/verification" + query, "")
                .statusCode())
        .isEqualTo(400);
  }

  /** What is owed is not judged without Kafka: nothing is said to be missing. */
  @Test
  @Tag("full")
  void answers503WhileKafkaIsUnavailable() {
    try (Service away = service.twin(Map.of("EGRESS_KAFKA_BOOTSTRAP", "127.0.0.1:1"))) {
      UUID id = UUID.randomUUID();
      away.put(id, Service.capture(workspace));
      await()
          .until(() ->
              away.query("select 1 from stream where capture_id = '%s'".formatted(id)).size() == 1);

      HttpResponse<String> answer =
          away.internal("GET", path + "/endpoints/" + endpoint + "/verification", "");

      assertThat(answer.statusCode()).isEqualTo(503);
      assertThat(answer.body()).contains("Kafka is unavailable");
    }
  }

  private JsonObject verify() {
    return verify("");
  }

  private JsonObject verify(String query) {
    HttpResponse<String> answer =
        service.internal("GET", path + "/endpoints/" + endpoint + "/verification" + query, "");
    assertThat(answer.statusCode()).as(answer.body()).isEqualTo(200);
    return new JsonObject(answer.body());
  }

  private UUID endpoint(boolean fullHistory) {
    HttpResponse<String> answer =
        service.internal(
            "POST",
            path + "/endpoints",
            new JsonObject()
                .put("url", "https://receiver.example/hook")
                .put("full_history", fullHistory));
    return UUID.fromString(new JsonObject(answer.body()).getString("id"));
  }

  /** Published to Kafka when this returns. */
  private List<UUID> captures(int count) {
    List<UUID> ids = service.enter(workspace, count);
    await().until(() -> service.query("select 1 from outbox").size() == 0);
    return ids;
  }

  private Delivery delivery(UUID capture, @Nullable UUID replay) {
    Row row =
        service
            .query("select position, entered_at from stream where capture_id = '" + capture + "'")
            .iterator()
            .next();
    long position = row.getLong("position");
    Instant enteredAt = row.getOffsetDateTime("entered_at").toInstant();
    return replay == null
        ? Delivery.first(
            DeliveryId.of(endpoint, capture),
            endpoint,
            capture,
            position,
            Delivery.Origin.LIVE,
            enteredAt)
        : Delivery.replayed(
            replay, endpoint, capture, position, Delivery.Origin.REPLAY, Instant.now());
  }

  private void write(UUID capture, @Nullable UUID replay, DeliveryState state) {
    Service.await(log.write(List.of(new LogEntry(delivery(capture, replay), state, null, null))));
  }

  private void writeFailed(UUID capture, Instant nextAttemptAt) {
    Service.await(
        log.write(
            List.of(
                new LogEntry(
                    delivery(capture, null), DeliveryState.PENDING, null, nextAttemptAt))));
  }

  private void publish(String topic, UUID capture) {
    publish(topic, capture, null);
  }

  private void publish(String topic, UUID capture, @Nullable UUID replay) {
    publish(topic, delivery(capture, replay).encode());
  }

  private void publish(String topic, Buffer record) {
    RecordPublisher publisher =
        new RecordPublisher(
            service.vertx, KafkaClients.producer(service.vertx, kafka), Clock.systemUTC());
    Service.await(
        publisher.publish(
            List.of(new RecordPublisher.Message(topic, endpoint.toString(), record))));
    Service.await(publisher.close());
  }

  /** Commits past everything that is in the topic. */
  private static void consume(String group, String topic) throws Exception {
    try (Admin admin = Admin.create(Map.of("bootstrap.servers", kafka.bootstrap()))) {
      Map<TopicPartition, OffsetSpec> ends = new HashMap<>();
      for (int i = 0; i < PARTITIONS; i++) {
        ends.put(new TopicPartition(topic, i), OffsetSpec.latest());
      }
      Map<TopicPartition, OffsetAndMetadata> offsets = new HashMap<>();
      admin
          .listOffsets(ends)
          .all()
          .get()
          .forEach((partition, end) -> offsets.put(partition, new OffsetAndMetadata(end.offset())));
      admin.alterConsumerGroupOffsets(group, offsets).all().get();
    }
  }
}
