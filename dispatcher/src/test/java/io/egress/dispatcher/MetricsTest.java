package io.egress.dispatcher;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.egress.webhook.endpoint.EndpointChange;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.net.http.HttpResponse.BodyHandlers;
import java.util.List;
import java.util.Map;
import java.util.NoSuchElementException;
import java.util.UUID;
import java.util.regex.Pattern;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.parallel.Execution;
import org.junit.jupiter.api.parallel.ExecutionMode;

/** A dispatcher's metrics while it works. */
@Execution(ExecutionMode.CONCURRENT)
class MetricsTest {
  private static final Pattern ID = Pattern.compile("[0-9a-f]{8}-[0-9a-f]{4}-");
  private static final HttpClient HTTP = HttpClient.newHttpClient();

  private final Fleet fleet = new Fleet(Map.of("EGRESS_RETRY_SCHEDULE", "1s,2s"));
  private final UUID workspace = UUID.randomUUID();
  private int port;

  @AfterEach
  void close() {
    fleet.close();
  }

  @Test
  void followDeliveriesFromTheStreamToTheirOutcomes() {
    fleet.endpoint(workspace, "fine");
    fleet.endpoint(workspace, "flaky");
    fleet.receivers.behave(
        "flaky", (request, nth) -> request.response().setStatusCode(nth <= 5 ? 503 : 204).end());
    fleet.endpoint(workspace, "broken");
    fleet.receivers.behave("broken", (request, _) -> request.response().setStatusCode(404).end());
    fleet.endpoint(workspace, "https://no-such-receiver.invalid/", false);
    Fleet.Provisioned paused = fleet.endpoint(workspace, "paused");
    fleet.change(paused, EndpointChange.pausing(true));
    port = fleet.dispatcher().internalPort().orElseThrow();

    fleet.captures(workspace, 5);

    await().until(() -> ended("delivered") == 10 && ended("exhausted") == 10);
    assertThat(ended("skipped")).isEqualTo(5);
    assertThat(value("egress_fanout_captures_total")).isEqualTo(5);
    assertThat(value("egress_fanout_deliveries_total")).isEqualTo(25);
    assertThat(value("egress_fanout_delay_seconds_count")).isEqualTo(5);
    assertThat(attempts("delivered", "2xx")).isEqualTo(10);
    assertThat(attempts("status", "5xx")).isEqualTo(5);
    assertThat(attempts("status", "4xx")).isEqualTo(15);
    assertThat(attempts("dns", "none")).isEqualTo(15);
    assertThat(value("egress_first_attempt_delay_seconds_count{origin='live'}")).isEqualTo(20);
    assertThat(value("egress_delivery_delay_seconds_count{origin='live'}")).isEqualTo(10);
    assertThat(value("egress_retries_scheduled_total{stage='1s'}")).isEqualTo(15);
    assertThat(value("egress_retries_scheduled_total{stage='2s'}")).isEqualTo(10);
    assertThat(value("egress_retry_lateness_seconds_count{stage='2s'}")).isEqualTo(10);
    assertThat(scrape()).doesNotContainPattern(ID);
  }

  @Test
  @Tag("full")
  void countWhatIsInFlightAndWhatWaits() {
    fleet.endpoint(workspace, "hanging");
    fleet.receivers.behave("hanging", Receivers.HANGING);
    port = fleet.dispatcher().internalPort().orElseThrow();

    fleet.captures(workspace, 300);

    await().until(() -> value("egress_attempts_in_flight") > 0);
    await().until(() -> value("egress_receiver_connections") > 0);
    await().until(() -> value("egress_deliveries_queued") > 0);
    await().until(() -> value("egress_deliveries_overdue_seconds{stage='first'}") > 2);
    await().until(() -> value("egress_deliveries_due{stage='first'}") > 0);
    await().until(() -> value("egress_endpoints_stuck") == 1);
    await().until(() -> value("egress_deliveries_parked_total") > 0);
    await().until(() -> lag("deliveries") > 0);
    await().until(() -> lag("deliveries.parked") > 0);
    await().until(() -> lag("captures.processed") == 0);
    for (String gauge :
        List.of("egress_records_pending", "egress_outcomes_pending", "egress_history_ahead")) {
      assertThat(value(gauge)).isNotNegative();
    }
  }

  @Test
  void measureLateRetriesAndBackendHealth() {
    fleet.endpoint(workspace, "flaky");
    fleet.receivers.behave(
        "flaky", (request, nth) -> request.response().setStatusCode(nth == 1 ? 500 : 204).end());
    port = fleet.dispatcher().internalPort().orElseThrow();

    fleet.captures(workspace, 1);

    String late = "egress_retry_lateness_seconds_";
    await().until(() -> value(late + "count{stage='1s'}") == 1);
    assertThat(value(late + "sum{stage='1s'}")).isNotNegative();
    await().until(() -> value(up("database")) == 1 && value(up("kafka")) == 1);
    await().until(() -> value("egress_deliveries_overdue_seconds{stage='1s'}") == 0);
  }

  @Test
  void countEndpointsThatCatchUp() {
    fleet.endpoint(workspace, "crm");
    fleet.receivers.behave("crm", Receivers.HANGING);
    port = fleet.dispatcher().internalPort().orElseThrow();
    assertThat(value("egress_endpoints_catching_up")).isZero();

    fleet.captures(workspace, 300);

    await().until(() -> value("egress_endpoints_catching_up") == 1);
  }

  private static String up(String backend) {
    return "egress_backend_up{backend='" + backend + "',role='dispatcher'}";
  }

  private double ended(String state) {
    return value("egress_deliveries_ended_total{state='" + state + "'}");
  }

  private double attempts(String outcome, String statusClass) {
    return value(
        "egress_attempt_duration_seconds_count{outcome='"
            + outcome
            + "',status_class='"
            + statusClass
            + "'}");
  }

  private double lag(String topic) {
    return value("egress_consumer_lag_records{topic='" + fleet.topics.prefix() + topic + "'}");
  }

  /** {@code sample} as it stands in the page, with single quotes. */
  private double value(String sample) {
    String start = sample.replace('\'', '"') + " ";
    return scrape()
        .lines()
        .filter(line -> line.startsWith(start))
        .map(line -> Double.valueOf(line.substring(start.length())))
        .findFirst()
        .orElseThrow(() -> new NoSuchElementException(sample));
  }

  private String scrape() {
    try {
      HttpResponse<String> answer =
          HTTP.send(
              HttpRequest.newBuilder(URI.create("http://127.0.0.1:" + port + "/metrics")).build(),
              BodyHandlers.ofString());
      assertThat(answer.statusCode()).isEqualTo(200);
      return answer.body();
    } catch (IOException failure) {
      throw new UncheckedIOException(failure);
    } catch (InterruptedException interrupted) {
      throw new IllegalStateException(interrupted);
    }
  }
}
