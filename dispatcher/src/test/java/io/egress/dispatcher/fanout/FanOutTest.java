package io.egress.dispatcher.fanout;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.egress.dispatcher.DispatcherApp;
import io.egress.dispatcher.Fleet;
import io.egress.dispatcher.Records;
import io.egress.platform.kafka.RecordPublisher.Message;
import io.egress.transcript.stream.ProcessedCapture;
import io.egress.webhook.endpoint.NewEndpoint;
import io.vertx.core.Future;
import io.vertx.sqlclient.SqlConnection;
import io.vertx.sqlclient.Transaction;
import java.time.Instant;
import java.util.List;
import java.util.Map;
import java.util.UUID;
import java.util.stream.Collectors;
import org.apache.kafka.clients.admin.Admin;
import org.apache.kafka.clients.admin.OffsetSpec;
import org.apache.kafka.clients.consumer.OffsetAndMetadata;
import org.apache.kafka.common.TopicPartition;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.parallel.Execution;
import org.junit.jupiter.api.parallel.ExecutionMode;

@Execution(ExecutionMode.CONCURRENT)
class FanOutTest {

  private static final String WAITING_FOR_ENDPOINTS =
      "pg_stat_activity where datname = current_database() and wait_event_type = 'Lock'"
          + " and query like '%e.workspace_id = any%'";

  private static final String WAITING_FOR_CATCH_UPS =
      "pg_stat_activity where datname = current_database() and wait_event_type = 'Lock'"
          + " and query like '%fall_behind%'";

  private final Fleet fleet = new Fleet();
  private final UUID workspace = UUID.randomUUID();
  private final Admin admin =
      Admin.create(Map.of("bootstrap.servers", fleet.settings.kafka().bootstrap()));

  @AfterEach
  void close() {
    admin.close();
    fleet.close();
  }

  @Test
  void commitsAllFinishedWorkBeforeItStops() throws Exception {
    fleet.endpoint(workspace, "crm");
    DispatcherApp dispatcher = fleet.dispatcher();
    fleet.captures(workspace, 20);
    await().until(() -> fleet.receivers.count() == 20);
    fleet.stop(dispatcher);

    assertThat(committed().values().stream().mapToLong(OffsetAndMetadata::offset).sum())
        .isEqualTo(20);
  }

  @Test
  void finishesAndCommitsTheCurrentBatchBeforeItStops() throws Exception {
    fleet.endpoint(workspace, "crm");
    DispatcherApp dispatcher = fleet.dispatcher();
    Transaction locked = lockEndpoints();
    fleet.captures(workspace, 20);
    await().until(() -> fleet.count(WAITING_FOR_ENDPOINTS) == 1);
    Future<Void> closed = dispatcher.close();
    Fleet.await(locked.rollback());
    Fleet.await(closed);

    assertThat(owed()).as("the batch that was read first").isPositive();
    assertThat(committed().values().stream().mapToLong(OffsetAndMetadata::offset).sum())
        .isEqualTo(owed());
  }

  @Test
  void commitsWhileItRuns() {
    fleet.endpoint(workspace, "crm");
    fleet.dispatcher();
    fleet.captures(workspace, 20);

    await()
        .until(
            () -> committed().values().stream().mapToLong(OffsetAndMetadata::offset).sum() == 20);
  }

  @Test
  void aRepublishedCaptureIsNotSentAgain() throws Exception {
    fleet.endpoint(workspace, "crm");
    DispatcherApp first = fleet.dispatcher();
    fleet.captures(workspace, 50);
    await().until(() -> fleet.count("deliveries where state = 'delivered'") == 50);
    fleet.stop(first);

    Map<TopicPartition, OffsetAndMetadata> nothing =
        committed().keySet().stream()
            .collect(Collectors.toMap(partition -> partition, _ -> new OffsetAndMetadata(0)));
    admin.alterConsumerGroupOffsets(fleet.topics.fanOutGroup(), nothing).all().get();
    fleet.dispatcher();
    await().until(() -> owed() == 100);
    Records.awaitAllRead(fleet);

    assertThat(fleet.receivers.count()).isEqualTo(50);
  }

  /** As after a restore of the database to an earlier state. */
  @Test
  void aCaptureThatTheDatabaseDoesNotHaveHoldsUpNoFilteredEndpoint() {
    Map<String, ?> manual = Map.of("filter", Map.of("modes", List.of("manual")));
    fleet.endpoint(
        workspace, new NewEndpoint(Fleet.spec(fleet.receivers.url("crm"), manual), false));
    Fleet.await(
        fleet.publisher.publish(
            List.of(
                new Message(
                    fleet.topics.capturesProcessed(),
                    workspace.toString(),
                    new ProcessedCapture(workspace, 7, UUID.randomUUID(), Instant.now())
                        .encode()))));
    fleet.captures(workspace, 3);

    fleet.dispatcher();

    await().until(() -> fleet.receivers.count() == 3);
  }

  /** Else each repetition would publish them again. */
  @Test
  void publishesNothingOfABurstBeforeItIsStoredWhoFallsBehind() throws Exception {
    for (int i = 0; i < 10; i++) {
      fleet.endpoint(workspace, "crm" + i);
    }
    fleet.captures(workspace, 300);
    Transaction locked = lock("catch_ups in share row exclusive mode");
    fleet.dispatcher();

    await().until(() -> fleet.count(WAITING_FOR_CATCH_UPS) == 1);
    assertThat(owed()).isZero();

    Fleet.await(locked.rollback());
    await().until(() -> fleet.receivers.count() == 3_000);
  }

  private Transaction lockEndpoints() {
    return lock("endpoints in access exclusive mode");
  }

  private Transaction lock(String table) {
    SqlConnection connection = Fleet.await(fleet.database.getConnection());
    Transaction transaction = Fleet.await(connection.begin());
    Fleet.await(connection.query("lock table " + table).execute());
    transaction.completion().onComplete(_ -> connection.close());
    return transaction;
  }

  private Map<TopicPartition, OffsetAndMetadata> committed() throws Exception {
    return admin
        .listConsumerGroupOffsets(fleet.topics.fanOutGroup())
        .partitionsToOffsetAndMetadata()
        .get();
  }

  /** Records in the topic of deliveries. */
  private long owed() throws Exception {
    Map<TopicPartition, OffsetSpec> ends =
        admin
            .describeTopics(List.of(fleet.topics.deliveries()))
            .allTopicNames()
            .get()
            .values()
            .iterator()
            .next()
            .partitions()
            .stream()
            .collect(
                Collectors.toMap(
                    each -> new TopicPartition(fleet.topics.deliveries(), each.partition()),
                    _ -> OffsetSpec.latest()));
    return admin.listOffsets(ends).all().get().values().stream()
        .mapToLong(end -> end.offset())
        .sum();
  }
}
