package io.egress.dispatcher.deliver;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.egress.dispatcher.Arrival;
import io.egress.dispatcher.DispatcherProcess;
import io.egress.dispatcher.Fleet;
import io.egress.dispatcher.Receivers;
import io.egress.dispatcher.Receivers.Behaviour;
import io.vertx.sqlclient.Row;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.UUID;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.parallel.Execution;
import org.junit.jupiter.api.parallel.ExecutionMode;

/** Dispatchers in processes of their own, killed and terminated. */
@Execution(ExecutionMode.CONCURRENT)
class CrashTest {
  private static final Duration PATIENCE = Duration.ofSeconds(90);

  /** Generous, and well below the time of an attempt. */
  private static final Duration BEFORE_ATTEMPTS_END = Duration.ofSeconds(30);

  private static final int ENDPOINTS = 20;

  private final UUID workspace = UUID.randomUUID();
  private final Fleet fleet =
      new Fleet(
          Map.of(
              "EGRESS_RETRY_SCHEDULE", "1s,1h",
              "EGRESS_ATTEMPT_TIMEOUT", "60s",
              "EGRESS_SHUTDOWN_TIMEOUT", "6s"));

  @AfterEach
  void close() {
    fleet.close();
  }

  @Test
  void losesNothingAndRepeatsOnlyAttemptsInFlight() throws InterruptedException {
    losesNothing(50, 1);
  }

  @Test
  @Tag("full")
  void losesNothingWhenKilledTwice() throws InterruptedException {
    losesNothing(100, 2);
  }

  private void losesNothing(int captures, int kills) throws InterruptedException {
    int all = ENDPOINTS * captures;
    int arrivalsBetween = all / (kills + 3);
    everyReceiver((request, _) -> fleet.vertx.setTimer(50, _ -> request.response().end()));
    for (int i = 0; i < ENDPOINTS; i++) {
      fleet.endpoint(workspace, "r" + i);
    }
    fleet.captures(workspace, captures);

    List<Set<UUID>> knownAtKills = new ArrayList<>();
    List<Long> arrivalsOfKnown = new ArrayList<>();
    for (int killed = 0; killed < kills; killed++) {
      int before = fleet.receivers.count();
      try (DispatcherProcess dispatcher = fleet.process()) {
        await()
            .atMost(PATIENCE)
            .pollInterval(Duration.ofMillis(5))
            .until(() -> fleet.receivers.count() >= before + arrivalsBetween);
        dispatcher.kill();
      }
      Set<UUID> known = delivered();
      assertThat(known).as("killed in the middle of it").hasSizeLessThan(all);
      knownAtKills.add(known);
      arrivalsOfKnown.add(arrivalsOf(known));
    }
    try (DispatcherProcess last = fleet.process()) {
      await().atMost(PATIENCE).until(() -> delivered().size() == all);
      assertThat(last.terminate(BEFORE_ATTEMPTS_END)).isZero();
    }

    Map<String, Set<UUID>> idsOfEach = new HashMap<>();
    for (Arrival arrival : fleet.receivers.arrivals()) {
      idsOfEach
          .computeIfAbsent(arrival.receiver() + arrival.captureId(), _ -> new HashSet<>())
          .add(arrival.deliveryId());
    }
    assertThat(idsOfEach).as("none lost").hasSize(all);
    assertThat(idsOfEach.values()).as("ids are stable").allMatch(ids -> ids.size() == 1);
    for (int i = 0; i < kills; i++) {
      assertThat(arrivalsOf(knownAtKills.get(i)))
          .as("only what was under way is sent again")
          .isEqualTo(arrivalsOfKnown.get(i));
    }
    assertThat(fleet.count("attempts where attempt = 1")).isEqualTo(all);
  }

  @Test
  @Tag("full")
  void endsWithinItsDeadlineWhenTerminatedWhileRequestsHang() throws InterruptedException {
    everyReceiver(Receivers.HANGING);
    for (int i = 0; i < 5; i++) {
      fleet.endpoint(workspace, "r" + i);
    }
    List<UUID> captures = fleet.captures(workspace, 20);
    try (DispatcherProcess dispatcher = fleet.process()) {
      await().atMost(PATIENCE).until(() -> fleet.receivers.count() >= 20);
      assertThat(dispatcher.terminate(BEFORE_ATTEMPTS_END)).isZero();
    }
    assertThat(fleet.count("attempts")).as("an abort of ours is no outcome").isZero();

    everyReceiver(Receivers.FINE);
    try (DispatcherProcess next = fleet.process()) {
      await().atMost(PATIENCE).until(() -> delivered().size() == 5 * captures.size());
      assertThat(next.terminate(BEFORE_ATTEMPTS_END)).isZero();
    }
  }

  private void everyReceiver(Behaviour behaviour) {
    for (int i = 0; i < ENDPOINTS; i++) {
      fleet.receivers.behave("r" + i, behaviour);
    }
  }

  private long arrivalsOf(Set<UUID> ids) {
    return fleet.receivers.arrivals().stream()
        .filter(arrival -> ids.contains(arrival.deliveryId()))
        .count();
  }

  private Set<UUID> delivered() {
    Set<UUID> ids = new HashSet<>();
    for (Row row : fleet.query("select id from deliveries where state = 'delivered'")) {
      ids.add(row.getUUID("id"));
    }
    return ids;
  }
}
