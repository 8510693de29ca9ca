package io.egress.dispatcher.deliver;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.egress.dispatcher.Arrival;
import io.egress.dispatcher.DispatcherApp;
import io.egress.dispatcher.Fleet;
import io.egress.dispatcher.Receivers;
import io.egress.dispatcher.Records;
import io.egress.webhook.endpoint.NewEndpoint;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.UUID;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.parallel.Execution;
import org.junit.jupiter.api.parallel.ExecutionMode;

/** Endpoints that are owed more than Kafka is to hold for them. */
@Execution(ExecutionMode.CONCURRENT)
class BehindTest {
  private static final String BEHIND = "catch_ups where not is_done";
  private static final String DELIVERED = "deliveries where state = 'delivered'";

  /** What fan-out publishes for a workspace at a time, and a capture's deliveries. */
  private static final int PUBLISHED_MAX = 2_000;

  private final Fleet fleet = new Fleet(Map.of("EGRESS_RETRY_SCHEDULE", "10s,10s,10s,10s,10s,10s"));
  private final UUID workspace = UUID.randomUUID();
  private final UUID neighbour = UUID.randomUUID();

  @AfterEach
  void close() {
    fleet.close();
  }

  @Test
  void aBurstIsReadFromTheStreamAndWhatFollowsIsLiveAgain() {
    int endpoints = 10;
    for (int i = 0; i < endpoints; i++) {
      fleet.endpoint(workspace, "burst" + i);
    }
    fleet.endpoint(neighbour, "neighbour");
    List<UUID> captures = new ArrayList<>(fleet.captures(workspace, 300));
    List<UUID> others = fleet.captures(neighbour, 1);

    fleet.dispatcher();

    await().until(() -> fleet.count(DELIVERED) == endpoints * 300L + 1);
    assertThat(Records.of(fleet, fleet.topics.deliveries()))
        .as("deliveries published as live, at most one batch for each of its captures' partitions")
        .hasSizeLessThanOrEqualTo(PUBLISHED_MAX + endpoints + 1);
    await().until(() -> fleet.count(BEHIND) == 0);
    int published = Records.of(fleet, fleet.topics.deliveries()).size();

    captures.addAll(fleet.captures(workspace, 2));

    await().until(() -> fleet.count(DELIVERED) == endpoints * 302L + 1);
    assertThat(Records.of(fleet, fleet.topics.deliveries())).hasSize(published + 2 * endpoints);
    for (int i = 0; i < endpoints; i++) {
      assertThat(arrived("burst" + i)).containsExactlyInAnyOrderElementsOf(captures);
    }
    assertThat(arrived("neighbour")).isEqualTo(others);
    assertThat(fleet.count("deliveries where origin <> 'live' or replay_id is not null")).isZero();
  }

  @Test
  @Tag("full")
  void kafkaHoldsFewRecordsOfAnEndpointThatHangs() {
    fleet.endpoint(workspace, "crm");
    fleet.receivers.behave("crm", Receivers.HANGING);
    fleet.dispatcher();
    List<UUID> captures = new ArrayList<>(fleet.captures(workspace, 200));
    await().until(() -> fleet.count(BEHIND) == 1);
    for (int i = 0; i < 5; i++) {
      captures.addAll(fleet.captures(workspace, 300));
    }
    Records.awaitAllRead(fleet);

    int records =
        Records.of(fleet, fleet.topics.backfill()).size()
            + Records.of(fleet, fleet.topics.deliveries()).size();
    assertThat(records).as("records for its %s captures", captures.size()).isLessThan(700);
    fleet.receivers.behave("crm", (request, _) -> request.response().end());

    await().atMost(Duration.ofMinutes(2)).until(() -> fleet.count(DELIVERED) == captures.size());
    assertThat(Set.copyOf(arrived("crm"))).containsExactlyInAnyOrderElementsOf(captures);
    await().until(() -> fleet.count(BEHIND) == 0);
  }

  @Test
  @Tag("full")
  void anEndpointThatRefusesStaysBehindNoLongerThanItsFirstAttemptsTake() {
    fleet.endpoint(workspace, "crm");
    fleet.receivers.behave("crm", (request, _) -> request.response().setStatusCode(500).end());
    fleet.dispatcher(Map.of("EGRESS_RETRY_SCHEDULE", "1h"));

    fleet.captures(workspace, 2_500);

    await().until(() -> fleet.count("deliveries where attempts > 0") == 2_500);
    await().until(() -> fleet.count(BEHIND) == 0);
  }

  @Test
  @Tag("full")
  void nothingIsLostWhereADispatcherTakesOver() {
    fleet.endpoint(workspace, "crm");
    fleet.receivers.behave(
        "crm", (request, _) -> fleet.vertx.setTimer(20, _ -> request.response().end()));
    List<UUID> captures = new ArrayList<>(fleet.captures(workspace, 2_500));
    DispatcherApp first = fleet.dispatcher();
    await().until(() -> fleet.receivers.count() > 300);
    DispatcherApp second = fleet.dispatcher();
    captures.addAll(fleet.captures(workspace, 300));
    await().until(() -> fleet.receivers.count() > 700);
    fleet.stop(first);
    captures.addAll(fleet.captures(workspace, 300));
    await().until(() -> fleet.receivers.count() > 1_400);
    fleet.stop(second);
    fleet.dispatcher();

    await().until(() -> fleet.count(DELIVERED) == captures.size());

    assertThat(Set.copyOf(arrived("crm"))).containsExactlyInAnyOrderElementsOf(captures);
    await().until(() -> fleet.count(BEHIND) == 0);
    List<UUID> after = fleet.captures(workspace, 1);
    await().until(() -> arrived("crm").containsAll(after));
  }

  /** Its records of fan-out and those of the stream are read in any order, and parked. */
  @Test
  @Tag("full")
  void nothingIsLostOfEndpointsWithALimit() {
    int endpoints = 12;
    for (int i = 0; i < endpoints; i++) {
      fleet.endpoint(
          workspace,
          new NewEndpoint(
              Fleet.spec(fleet.receivers.url("slow" + i), Map.of("max_per_second", 6 + i)), false));
    }
    fleet.dispatcher();
    List<UUID> captures = new ArrayList<>();
    for (int i = 0; i < 70; i++) {
      captures.addAll(fleet.captures(workspace, 1));
    }

    await().until(() -> fleet.count(DELIVERED) == (long) endpoints * captures.size());
    await().until(() -> fleet.count(BEHIND) == 0);
  }

  @Test
  void whatAPausedEndpointIsBehindIsSkipped() {
    Fleet.Provisioned endpoint = fleet.endpoint(workspace, "crm");
    fleet.captures(workspace, 3_000);
    fleet.query(
        "update endpoints set paused = true, paused_at = now(), paused_reason = 'requested'");

    fleet.dispatcher();

    await().until(() -> fleet.count("deliveries where state = 'skipped'") == 3_000);
    await().until(() -> fleet.count(BEHIND) == 0);
    fleet.delete(endpoint);
  }

  @Test
  void aDeletedEndpointIsSentNothingMore() {
    Fleet.Provisioned endpoint = fleet.endpoint(workspace, "crm");
    fleet.captures(workspace, 3_000);
    fleet.receivers.behave("crm", Receivers.HANGING);
    fleet.dispatcher();
    await().until(() -> fleet.count(BEHIND) == 1);
    fleet.delete(endpoint);
    fleet.endpoint(neighbour, "neighbour");

    fleet.captures(neighbour, 10);

    await().until(() -> arrived("neighbour").size() == 10);
  }

  private List<UUID> arrived(String receiver) {
    return fleet.receivers.arrivals(receiver).stream().map(Arrival::captureId).toList();
  }
}
