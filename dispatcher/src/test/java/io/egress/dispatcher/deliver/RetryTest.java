package io.egress.dispatcher.deliver;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.egress.delivery.Delivery;
import io.egress.dispatcher.Arrival;
import io.egress.dispatcher.DispatcherApp;
import io.egress.dispatcher.Fleet;
import io.egress.dispatcher.Receivers.Behaviour;
import io.egress.dispatcher.Records;
import io.vertx.sqlclient.Row;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.UUID;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.parallel.Execution;
import org.junit.jupiter.api.parallel.ExecutionMode;

@Timeout(180)
@Execution(ExecutionMode.CONCURRENT)
class RetryTest {
  private static final Duration PATIENCE = Duration.ofSeconds(60);

  /** What a retry may come late by: polls, fetches, and a machine that does other things too. */
  private static final Duration LATE_MAX = Duration.ofSeconds(5);

  private static final Behaviour FAILING =
      (request, nth) -> request.response().setStatusCode(503).end("not today");

  private final UUID workspace = UUID.randomUUID();

  private @Nullable Fleet fleet;

  private Fleet fleet(String schedule) {
    fleet = new Fleet(Map.of("EGRESS_RETRY_SCHEDULE", schedule));
    return fleet;
  }

  @AfterEach
  void close() {
    if (fleet != null) {
      fleet.close();
    }
  }

  @Test
  void waitsAsLongAsTheScheduleSaysAndGivesUpAfterTheSeventhAttempt() {
    Fleet fleet = fleet("300ms,1200ms,600ms,2s,300ms,900ms");
    fleet.receivers.behave("crm", FAILING);
    Fleet.Provisioned endpoint = fleet.endpoint(workspace, "crm");
    fleet.dispatcher();

    UUID capture = fleet.captures(workspace, 1).get(0);

    await().atMost(PATIENCE).until(() -> fleet.count("deliveries where state = 'exhausted'") == 1);
    List<Arrival> arrivals = fleet.receivers.arrivals("crm");
    assertThat(arrivals).hasSize(7);
    List<Duration> gaps = gaps(arrivals);
    List<Duration> delays = fleet.settings.dispatcher().retrySchedule().delays();
    for (int i = 0; i < delays.size(); i++) {
      assertThat(gaps.get(i))
          .as("before attempt %d", i + 2)
          .isBetween(delays.get(i), delays.get(i).plus(LATE_MAX));
    }
    assertThat(arrivals.stream().map(Arrival::deliveryId).distinct()).hasSize(1);
    assertThat(arrivals.stream().map(Arrival::signature).distinct())
        .as("t is new for attempts of different seconds")
        .hasSizeGreaterThan(3);
    Row delivery = fleet.query("select * from deliveries").iterator().next();
    assertThat(delivery.getInteger("attempts")).isEqualTo(7);
    assertThat(delivery.getString("last_outcome")).isEqualTo("status");
    assertThat(delivery.getValue("next_attempt_at")).isNull();
    assertThat(fleet.count("attempts where outcome = 'status' and status = 503")).isEqualTo(7);
    List<Delivery> exhausted = Records.of(fleet, fleet.topics.exhausted());
    assertThat(exhausted).singleElement().extracting(Delivery::captureId).isEqualTo(capture);
    assertThat(exhausted.get(0).endpointId()).isEqualTo(endpoint.id());
  }

  @Test
  void waitsARealMinuteBeforeTheSecondAttempt() {
    Fleet fleet = new Fleet();
    this.fleet = fleet;
    fleet.receivers.behave("crm", failingTimes(1));
    fleet.endpoint(workspace, "crm");
    fleet.dispatcher();

    fleet.captures(workspace, 1);

    await().atMost(PATIENCE).until(() -> fleet.count("deliveries where state = 'pending'") == 1);
    await()
        .atMost(Duration.ofSeconds(90))
        .until(() -> fleet.count("deliveries where state = 'delivered'") == 1);
    assertThat(gaps(fleet.receivers.arrivals("crm")).get(0))
        .isBetween(Duration.ofMinutes(1), Duration.ofMinutes(1).plus(LATE_MAX));
  }

  @Test
  void goesOnWhereAnEndpointRecovers() {
    Fleet fleet = fleet("300ms,300ms,300ms,300ms,300ms,300ms");
    fleet.receivers.behave("crm", failingTimes(30));
    fleet.endpoint(workspace, "crm");
    fleet.dispatcher();

    List<UUID> captures = fleet.captures(workspace, 10);

    await().atMost(PATIENCE).until(() -> fleet.count("deliveries where state = 'delivered'") == 10);
    assertThat(fleet.receivers.arrivals("crm")).hasSize(40);
    assertThat(fleet.count("deliveries")).isEqualTo(10);
    assertThat(fleet.count("attempts where outcome = 'status'")).isEqualTo(30);
    Set<UUID> seen = new HashSet<>();
    fleet.receivers.arrivals("crm").forEach(arrival -> seen.add(arrival.captureId()));
    assertThat(seen).containsExactlyInAnyOrderElementsOf(captures);
  }

  @Test
  void strandsNothingInTheTopicsOfAFormerSchedule() {
    Fleet fleet = fleet("3s,1h");
    fleet.receivers.behave("crm", failingTimes(5));
    fleet.endpoint(workspace, "crm");
    DispatcherApp before = fleet.dispatcher();
    fleet.captures(workspace, 5);
    await().atMost(PATIENCE).until(() -> fleet.count("deliveries where state = 'pending'") == 5);
    fleet.stop(before);

    fleet.dispatcher(Map.of("EGRESS_RETRY_SCHEDULE", "2h,4h"));

    await().atMost(PATIENCE).until(() -> fleet.count("deliveries where state = 'delivered'") == 5);
    assertThat(fleet.receivers.arrivals("crm")).hasSize(10);
  }

  @Test
  void makesAnAttemptThatIsAskedForTwiceOnce() {
    Fleet fleet = fleet("1s,1h");
    fleet.receivers.behave("flaky", failingTimes(20));
    fleet.endpoint(workspace, "flaky");
    fleet.endpoint(workspace, "fine");
    fleet.dispatcher();
    fleet.captures(workspace, 20);
    await().atMost(PATIENCE).until(() -> fleet.count("deliveries") == 40);

    Records.repeat(fleet, fleet.topics.capturesProcessed());
    Records.repeat(fleet, fleet.topics.deliveries());

    await().atMost(PATIENCE).until(() -> fleet.count("deliveries where state = 'delivered'") == 40);
    Records.awaitAllRead(fleet);
    assertThat(fleet.receivers.arrivals("fine")).hasSize(20);
    assertThat(fleet.receivers.arrivals("flaky")).hasSize(40);
    assertThat(fleet.count("attempts")).isEqualTo(60);
  }

  private static Behaviour failingTimes(int times) {
    return (request, nth) -> request.response().setStatusCode(nth <= times ? 500 : 200).end();
  }

  private static List<Duration> gaps(List<Arrival> arrivals) {
    List<Duration> gaps = new ArrayList<>();
    for (int i = 1; i < arrivals.size(); i++) {
      gaps.add(Duration.between(arrivals.get(i - 1).at(), arrivals.get(i).at()));
    }
    return gaps;
  }
}
