package io.egress.dispatcher.deliver;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.awaitility.Awaitility.await;

import io.egress.dispatcher.DispatcherApp;
import io.egress.dispatcher.Fleet;
import io.egress.dispatcher.Receivers.Behaviour;
import io.egress.platform.kafka.UnfitTopicsException;
import java.time.Duration;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.UUID;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.atomic.AtomicInteger;
import org.apache.kafka.clients.admin.Admin;
import org.apache.kafka.clients.admin.ListOffsetsResult;
import org.apache.kafka.clients.admin.NewPartitions;
import org.apache.kafka.clients.admin.OffsetSpec;
import org.apache.kafka.common.TopicPartition;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.parallel.Execution;
import org.junit.jupiter.api.parallel.ExecutionMode;

/** An operator adds partitions while deliveries are made. */
@Execution(ExecutionMode.CONCURRENT)
class PartitionGrowthTest {
  private static final Duration PATIENCE = Duration.ofMinutes(2);
  private static final int BEFORE = 4;
  private static final int AFTER = 8;
  private static final int ENDPOINTS = 20;
  private static final int WAVE = 10;
  private static final int HISTORIES = 6;

  /** Of 20 endpoints, each with several attempts at a time. */
  private static final long UNDER_WAY_MAX = 100;

  private final UUID workspace = UUID.randomUUID();
  private final Fleet fleet =
      new Fleet(
          Map.of(
              "EGRESS_TOPIC_PARTITIONS",
              Integer.toString(BEFORE),
              "EGRESS_RETRY_SCHEDULE",
              "1s,20s",
              "EGRESS_SHUTDOWN_TIMEOUT",
              "6s"));

  @AfterEach
  void close() {
    fleet.close();
  }

  @Test
  @Tag("full")
  void losesNothingAndRepeatsOnlyAttemptsInFlight() throws Exception {
    for (int i = 0; i < ENDPOINTS; i++) {
      fleet.endpoint(workspace, "r" + i);
      fleet.receivers.behave("r" + i, i % 2 == 0 ? slow(20) : failingAtFirst());
    }
    fleet.dispatcher();
    fleet.dispatcher();
    AtomicInteger captures = new AtomicInteger();
    enter(captures);
    await().atMost(PATIENCE).until(() -> fleet.receivers.count() > ENDPOINTS);

    grow(deliveryTopics());
    await()
        .atMost(PATIENCE)
        .pollInterval(Duration.ofMillis(500))
        .until(() -> {
          enter(captures);
          return partitionsOfWorkers() == AFTER * deliveryTopics().size();
        });
    enter(captures);

    awaitDelivered((long) ENDPOINTS * captures.get());
    assertThat(recordsInNewPartitions()).isPositive();
    assertThat(fleet.receivers.count() - fleet.count("attempts"))
        .as("attempts made twice, of %d", fleet.receivers.count())
        .isLessThan(UNDER_WAY_MAX);
  }

  @Test
  @Tag("full")
  void finishesABackfillWhoeverOwnsItAfterwards() throws Exception {
    int history = 600;
    fleet.captures(workspace, history);
    fleet.dispatcher();
    fleet.dispatcher();
    for (int i = 0; i < HISTORIES; i++) {
      fleet.receivers.behave("r" + i, slow(100));
      fleet.endpoint(workspace, fleet.receivers.url("r" + i), true);
    }
    await().atMost(PATIENCE).until(() -> fleet.receivers.count() > 100);

    grow(deliveryTopics());

    awaitDelivered((long) HISTORIES * history);
    assertThat(fleet.count("backfills where finished_at is null")).isZero();
  }

  @Test
  void doesNotStartWhileOnlySomeHaveGrown() throws Exception {
    DispatcherApp first = fleet.dispatcher();
    fleet.stop(first);
    grow(Set.of(fleet.topics.deliveries()));

    assertThatThrownBy(() ->
            DispatcherApp.start(fleet.vertx, fleet.settings)
                .toCompletionStage()
                .toCompletableFuture()
                .get())
        .hasCauseInstanceOf(UnfitTopicsException.class)
        .hasMessageContaining(fleet.topics.deliveries() + " has 8")
        .hasMessageContaining(fleet.topics.retry("20s") + " has 4");

    Set<String> others = new HashSet<>(deliveryTopics());
    others.remove(fleet.topics.deliveries());
    grow(others);
    fleet.dispatcher();
  }

  private void enter(AtomicInteger captures) {
    captures.addAndGet(fleet.captures(workspace, WAVE).size());
  }

  private void awaitDelivered(long expected) {
    await()
        .atMost(PATIENCE)
        .untilAsserted(() ->
            assertThat(fleet.count("deliveries where state = 'delivered'")).isEqualTo(expected));
  }

  private Behaviour slow(long millis) {
    return (request, _) -> fleet.vertx.setTimer(millis, _ -> request.response().end());
  }

  /** Every delivery goes through a retry topic. */
  private static Behaviour failingAtFirst() {
    Set<String> seen = ConcurrentHashMap.newKeySet();
    return (request, _) ->
        request
            .response()
            .setStatusCode(seen.add(request.getHeader("x-service-delivery")) ? 500 : 204)
            .end();
  }

  private Set<String> deliveryTopics() {
    return Set.of(
        fleet.topics.deliveries(),
        fleet.topics.backfill(),
        fleet.topics.parked(),
        fleet.topics.retry("1s"),
        fleet.topics.retry("20s"));
  }

  private void grow(Set<String> topics) throws ExecutionException, InterruptedException {
    try (Admin admin = admin()) {
      Map<String, NewPartitions> growth = new HashMap<>();
      topics.forEach(topic -> growth.put(topic, NewPartitions.increaseTo(AFTER)));
      admin.createPartitions(growth).all().get();
      await().atMost(PATIENCE).until(() -> haveGrown(admin, topics));
    }
  }

  /** The controller creates partitions; brokers know of them a moment later. */
  private static boolean haveGrown(Admin admin, Set<String> topics)
      throws ExecutionException, InterruptedException {
    return admin.describeTopics(topics).allTopicNames().get().values().stream()
        .allMatch(topic -> topic.partitions().size() == AFTER);
  }

  private int partitionsOfWorkers() throws ExecutionException, InterruptedException {
    try (Admin admin = admin()) {
      return admin
          .describeConsumerGroups(List.of(fleet.topics.prefix() + "dispatcher"))
          .all()
          .get()
          .values()
          .iterator()
          .next()
          .members()
          .stream()
          .mapToInt(member -> member.assignment().topicPartitions().size())
          .sum();
    }
  }

  private long recordsInNewPartitions() throws ExecutionException, InterruptedException {
    try (Admin admin = admin()) {
      Map<TopicPartition, OffsetSpec> ends = new HashMap<>();
      for (int partition = BEFORE; partition < AFTER; partition++) {
        ends.put(new TopicPartition(fleet.topics.deliveries(), partition), OffsetSpec.latest());
      }
      return admin.listOffsets(ends).all().get().values().stream()
          .mapToLong(ListOffsetsResult.ListOffsetsResultInfo::offset)
          .sum();
    }
  }

  private Admin admin() {
    return Admin.create(Map.of("bootstrap.servers", fleet.settings.kafka().bootstrap()));
  }
}
