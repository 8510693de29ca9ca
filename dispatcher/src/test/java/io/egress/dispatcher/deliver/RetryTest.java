package io.egress.dispatcher.deliver;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.egress.dispatcher.Arrival;
import io.egress.dispatcher.DispatcherApp;
import io.egress.dispatcher.Fleet;
import io.egress.dispatcher.Receivers.Behaviour;
import io.egress.dispatcher.Records;
import io.egress.platform.environment.Durations;
import io.egress.webhook.delivery.Delivery;
import io.vertx.sqlclient.Row;
import java.time.Duration;
import java.time.Instant;
import java.time.OffsetDateTime;
import java.time.temporal.ChronoUnit;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.UUID;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.parallel.Execution;
import org.junit.jupiter.api.parallel.ExecutionMode;

@Execution(ExecutionMode.CONCURRENT)
class RetryTest {

  private static final Behaviour FAILING =
      (request, _) -> request.response().setStatusCode(503).end("not today");

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
  void followsTheScheduleAndGivesUpAfterTheSeventhAttempt() {
    Fleet fleet = fleet("300ms,1200ms,600ms,2s,300ms,900ms");
    fleet.receivers.behave("crm", FAILING);
    Fleet.Provisioned endpoint = fleet.endpoint(workspace, "crm");
    fleet.dispatcher();

    UUID capture = fleet.captures(workspace, 1).get(0);

    await().until(() -> fleet.count("deliveries where state = 'exhausted'") == 1);
    List<Arrival> arrivals = fleet.receivers.arrivals("crm");
    assertThat(arrivals).hasSize(7);
    List<Instant> starts = starts(fleet);
    List<Duration> delays = fleet.settings.dispatcher().retrySchedule().delays();
    for (int i = 0; i < delays.size(); i++) {
      Instant due = due(fleet, delays.get(i), i + 2);
      assertThat(due)
          .as("attempt %d is due a delay after the one before", i + 2)
          .isAfterOrEqualTo(starts.get(i).plus(delays.get(i)));
      assertThat(starts.get(i + 1)).as("attempt %d", i + 2).isAfterOrEqualTo(due);
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
  void schedulesTheSecondAttemptAfterAMinuteByDefault() {
    Fleet fleet = new Fleet();
    this.fleet = fleet;
    fleet.receivers.behave("crm", FAILING);
    fleet.endpoint(workspace, "crm");
    fleet.dispatcher();

    fleet.captures(workspace, 1);

    await().until(() -> fleet.count("deliveries where state = 'pending'") == 1);
    Instant due = due(fleet, Duration.ofMinutes(1), 2);
    assertThat(due).isAfterOrEqualTo(starts(fleet).get(0).plus(Duration.ofMinutes(1)));
    Row delivery = fleet.query("select next_attempt_at from deliveries").iterator().next();
    assertThat(millis(delivery.getOffsetDateTime(0))).isEqualTo(due);
    assertThat(fleet.receivers.arrivals("crm")).hasSize(1);
  }

  @Test
  void continuesWhenAnEndpointRecovers() {
    Fleet fleet = fleet("300ms,300ms,300ms,300ms,300ms,300ms");
    fleet.receivers.behave("crm", failingTimes(30));
    fleet.endpoint(workspace, "crm");
    fleet.dispatcher();

    List<UUID> captures = fleet.captures(workspace, 10);

    await().until(() -> fleet.count("deliveries where state = 'delivered'") == 10);
    assertThat(fleet.receivers.arrivals("crm")).hasSize(40);
    assertThat(fleet.count("deliveries")).isEqualTo(10);
    assertThat(fleet.count("attempts where outcome = 'status'")).isEqualTo(30);
    Set<UUID> seen = new HashSet<>();
    fleet.receivers.arrivals("crm").forEach(arrival -> seen.add(arrival.captureId()));
    assertThat(seen).containsExactlyInAnyOrderElementsOf(captures);
  }

  @Test
  @Tag("full")
  void strandsNothingInTheTopicsOfAFormerSchedule() {
    Fleet fleet = fleet("3s,1h");
    fleet.receivers.behave("crm", failingTimes(5));
    fleet.endpoint(workspace, "crm");
    DispatcherApp before = fleet.dispatcher();
    fleet.captures(workspace, 5);
    await().until(() -> fleet.count("deliveries where state = 'pending'") == 5);
    fleet.stop(before);

    fleet.dispatcher(Map.of("EGRESS_RETRY_SCHEDULE", "2h,4h"));

    await().until(() -> fleet.count("deliveries where state = 'delivered'") == 5);
    assertThat(fleet.receivers.arrivals("crm")).hasSize(10);
  }

  @Test
  void makesADuplicatedAttemptOnce() {
    Fleet fleet = fleet("1s,1h");
    fleet.receivers.behave("flaky", failingTimes(20));
    fleet.endpoint(workspace, "flaky");
    fleet.endpoint(workspace, "fine");
    fleet.dispatcher();
    fleet.captures(workspace, 20);
    await().until(() -> fleet.count("deliveries") == 40);

    Records.repeat(fleet, fleet.topics.capturesProcessed());
    Records.repeat(fleet, fleet.topics.deliveries());

    await().until(() -> fleet.count("deliveries where state = 'delivered'") == 40);
    Records.awaitAllRead(fleet);
    assertThat(fleet.receivers.arrivals("fine")).hasSize(20);
    assertThat(fleet.receivers.arrivals("flaky")).hasSize(40);
    assertThat(fleet.count("attempts")).isEqualTo(60);
  }

  /** No record is due later than its topic's delay, so none holds up those behind it. */
  @Test
  @Tag("full")
  void waitsAsLongAsAnOverloadedReceiverAsksUpToTheNextDelay() {
    Fleet fleet = fleet("300ms,2s,4s,3s");
    List<Integer> statuses = List.of(503, 429, 500, 503, 200);
    List<String> asked = List.of("1", "3600", "3600", "soon", "");
    fleet.receivers.behave(
        "crm",
        (request, nth) ->
            request
                .response()
                .setStatusCode(statuses.get(nth - 1))
                .putHeader("Retry-After", asked.get(nth - 1))
                .end());
    fleet.endpoint(workspace, "crm");
    fleet.dispatcher();

    fleet.captures(workspace, 1);

    await().until(() -> fleet.count("deliveries where state = 'delivered'") == 1);
    List<Instant> starts = starts(fleet);
    List<Long> longer = List.of(700L, 2_000L, 0L, 0L);
    for (int i = 0; i < longer.size(); i++) {
      Duration delay = fleet.settings.dispatcher().retrySchedule().delays().get(i);
      Delivery next = record(fleet, delay, i + 2);
      assertThat(Duration.between(next.dueAt(), next.attemptAt()).toMillis())
          .as("longer than the delay after attempt %d", i + 1)
          .isEqualTo(longer.get(i));
      assertThat(starts.get(i + 1))
          .as("attempt %d", i + 2)
          .isAfterOrEqualTo(next.attemptAt().truncatedTo(ChronoUnit.MILLIS));
    }
  }

  private static Behaviour failingTimes(int times) {
    return (request, nth) -> request.response().setStatusCode(nth <= times ? 500 : 200).end();
  }

  /** When each attempt began by the service's clock. */
  private static List<Instant> starts(Fleet fleet) {
    List<Instant> starts = new ArrayList<>();
    fleet
        .query("select started_at from attempts order by attempt")
        .forEach(row -> starts.add(millis(row.getOffsetDateTime(0))));
    return starts;
  }

  /** When the attempt of this number was to be made, as its record says. */
  private static Instant due(Fleet fleet, Duration delay, int attempt) {
    return record(fleet, delay, attempt).dueAt().truncatedTo(ChronoUnit.MILLIS);
  }

  private static Delivery record(Fleet fleet, Duration delay, int attempt) {
    String topic = fleet.topics.retry(Durations.format(delay));
    return Records.of(fleet, topic).stream()
        .filter(delivery -> delivery.attempt() == attempt)
        .findFirst()
        .orElseThrow();
  }

  private static Instant millis(OffsetDateTime time) {
    return time.toInstant().truncatedTo(ChronoUnit.MILLIS);
  }
}
