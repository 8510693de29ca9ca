package io.egress.dispatcher.deliver;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.egress.dispatcher.Arrival;
import io.egress.dispatcher.DispatcherApp;
import io.egress.dispatcher.Fleet;
import io.egress.dispatcher.Receivers;
import io.egress.dispatcher.Receivers.Behaviour;
import io.vertx.core.Future;
import java.time.Duration;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.UUID;
import java.util.concurrent.ExecutionException;
import org.apache.kafka.clients.admin.Admin;
import org.apache.kafka.clients.admin.MemberDescription;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.parallel.Isolated;

/** Workers join and leave during delivery. */
@Isolated("hand-overs wait for attempts under way, but not for ever")
class HandoverTest {

  /** Generous, and well below the time of an attempt. */
  private static final Duration BEFORE_ATTEMPTS_END = Duration.ofSeconds(30);

  private final UUID workspace = UUID.randomUUID();
  private final Fleet fleet =
      new Fleet(
          Map.of(
              "EGRESS_RETRY_SCHEDULE",
              "1s,1h",
              "EGRESS_ATTEMPT_TIMEOUT",
              "60s",
              "EGRESS_SHUTDOWN_TIMEOUT",
              "6s",
              "EGRESS_TOPIC_PARTITIONS",
              "4"));

  @AfterEach
  void close() {
    fleet.close();
  }

  @Test
  void stopsWithinItsDeadlineWhileRequestsHangAndLosesNothing() {
    for (int i = 0; i < 5; i++) {
      fleet.endpoint(workspace, "r" + i);
      fleet.receivers.behave("r" + i, Receivers.HANGING);
    }
    DispatcherApp stopping = fleet.dispatcher();
    List<UUID> captures = fleet.captures(workspace, 20);
    await().until(() -> fleet.receivers.count() >= 20);

    Future<Void> stopped = stopping.close();
    await().atMost(BEFORE_ATTEMPTS_END).until(stopped::succeeded);

    assertThat(fleet.count("attempts")).as("an abort of ours is no outcome").isZero();
    for (int i = 0; i < 5; i++) {
      fleet.receivers.behave("r" + i, Receivers.FINE);
    }
    fleet.dispatcher();
    await()
        .until(() -> fleet.count("deliveries where state = 'delivered'") == 5L * captures.size());
    assertThat(fleet.count("attempts where attempt = 1")).isEqualTo(5L * captures.size());
  }

  @Test
  void givesAJoiningWorkerItsPartitionsWhileRequestsHang() {
    for (int i = 0; i < 20; i++) {
      fleet.endpoint(workspace, "r" + i);
      fleet.receivers.behave("r" + i, Receivers.HANGING);
    }
    fleet.dispatcher();
    fleet.captures(workspace, 5);
    await().until(() -> fleet.receivers.count() >= 60);

    fleet.dispatcher();
    await().atMost(BEFORE_ATTEMPTS_END).until(() -> partitionsOfMembers().equals(List.of(10, 10)));

    assertThat(fleet.count("attempts")).as("no attempt had to end for it").isZero();
  }

  @Test
  void losesNothingAndRepeatsLittleWhileWorkersJoinAndLeave() {
    losesNothing(60);
  }

  @Test
  @Tag("full")
  void losesNothingOfManyCapturesWhileWorkersJoinAndLeave() {
    losesNothing(150);
  }

  private void losesNothing(int captures) {
    int endpoints = 20;
    int batch = endpoints * captures;
    Behaviour slow = (request, _) -> fleet.vertx.setTimer(20, _ -> request.response().end());
    for (int i = 0; i < endpoints; i++) {
      fleet.endpoint(workspace, "r" + i);
      fleet.receivers.behave("r" + i, slow);
    }
    DispatcherApp first = fleet.dispatcher();
    fleet.captures(workspace, captures);
    await().until(() -> fleet.receivers.count() > batch / 6);
    DispatcherApp second = fleet.dispatcher();
    fleet.captures(workspace, captures);
    await().until(() -> fleet.receivers.count() > batch / 2);
    fleet.stop(first);
    fleet.captures(workspace, captures);
    await().until(() -> fleet.receivers.count() > batch);
    fleet.dispatcher();
    fleet.stop(second);

    long expected = 3L * batch;
    await()
        .untilAsserted(() ->
            assertThat(fleet.count("deliveries where state = 'delivered'")).isEqualTo(expected));
    List<Arrival> arrivals = fleet.receivers.arrivals();
    Set<UUID> ids = new HashSet<>();
    arrivals.forEach(arrival -> ids.add(arrival.deliveryId()));
    assertThat(ids).hasSize((int) expected);
    assertThat(arrivals.size() - ids.size())
        .as("attempts under way are waited for: hardly any is made twice")
        .isLessThan(100);
  }

  /** How many partitions each member of the group has, the fewest first. */
  private List<Integer> partitionsOfMembers() throws ExecutionException, InterruptedException {
    String group = fleet.topics.prefix() + "dispatcher";
    try (Admin admin =
        Admin.create(Map.of("bootstrap.servers", fleet.settings.kafka().bootstrap()))) {
      return admin
          .describeConsumerGroups(List.of(group))
          .describedGroups()
          .values()
          .iterator()
          .next()
          .get()
          .members()
          .stream()
          .map(MemberDescription::assignment)
          .map(assignment -> assignment.topicPartitions().size())
          .sorted()
          .toList();
    }
  }
}
