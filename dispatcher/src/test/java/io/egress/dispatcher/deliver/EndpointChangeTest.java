package io.egress.dispatcher.deliver;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.egress.dispatcher.Arrival;
import io.egress.dispatcher.Fleet;
import io.egress.dispatcher.Receivers.Behaviour;
import io.egress.webhook.endpoint.EndpointChange;
import io.egress.webhook.endpoint.EndpointSpec;
import io.vertx.sqlclient.SqlConnection;
import java.io.IOException;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.util.Map;
import java.util.UUID;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.parallel.Execution;
import org.junit.jupiter.api.parallel.ExecutionMode;

/** A change applies to the next attempt, even to what was read, queued or waiting before it. */
@Execution(ExecutionMode.CONCURRENT)
class EndpointChangeTest {
  private static final Behaviour FAILING =
      (request, _) -> request.response().setStatusCode(503).end();

  private static final String QUEUED = "some are queued";

  /** The query of the delivery log. */
  private static final String WAITING_FOR_A_LOCK =
      "pg_stat_activity where datname = current_database() and wait_event_type = 'Lock'"
          + " and query like 'select id, state, attempts from deliveries%'";

  private static final String WAITING_FOR_LONG =
      WAITING_FOR_A_LOCK + " and query_start < now() - interval '4 seconds'";

  private final Fleet fleet = new Fleet(Map.of("EGRESS_RETRY_SCHEDULE", "2s,1h"));
  private final UUID workspace = UUID.randomUUID();

  @AfterEach
  void close() {
    fleet.close();
  }

  @Test
  void skipsWhatFallsDueWhilePausedAndDeliversAfterwards() {
    Fleet.Provisioned endpoint = failingOnce("crm");
    fleet.change(endpoint, EndpointChange.pausing(true));
    fleet.captures(workspace, 3);

    await().until(() -> fleet.count("deliveries where state = 'skipped'") == 4);
    assertThat(fleet.receivers.arrivals("crm")).hasSize(1);
    assertThat(fleet.count("attempts")).isEqualTo(1);
    assertThat(fleet.count("deliveries where attempts = 1 and last_outcome = 'status'"))
        .isEqualTo(1);

    fleet.change(endpoint, EndpointChange.pausing(false));
    fleet.receivers.behave("crm", (request, _) -> request.response().end());
    UUID later = fleet.captures(workspace, 1).get(0);

    await().until(() -> fleet.count("deliveries where state = 'delivered'") == 1);
    assertThat(fleet.receivers.arrivals("crm").get(1).captureId()).isEqualTo(later);
    assertThat(fleet.receivers.arrivals("crm")).hasSize(2);
  }

  @Test
  void skipsNothingThatFellDueAfterItWasResumed() throws Exception {
    Fleet.Provisioned endpoint = fleet.endpoint(workspace, "crm");
    int metrics = fleet.dispatcher().internalPort().orElseThrow();
    fleet.change(endpoint, EndpointChange.pausing(true));
    SqlConnection blocking = Fleet.await(fleet.database.getConnection());
    Fleet.await(blocking.query("begin; lock table deliveries").execute());
    fleet.captures(workspace, 1);
    await().until(() -> fleet.count(WAITING_FOR_A_LOCK) > 0);

    fleet.change(endpoint, EndpointChange.pausing(false));
    fleet.captures(workspace, 100);
    await().until(() -> scrape(metrics).contains(QUEUED));
    Fleet.await(blocking.query("commit").execute());
    Fleet.await(blocking.close());

    await().until(() -> fleet.count("deliveries") == 101);
    await().until(() -> fleet.count("deliveries where state = 'pending'") == 0);
    assertThat(fleet.count("deliveries where state = 'skipped'"))
        .as("the first, unless its answer came so late that it was asked for again")
        .isLessThanOrEqualTo(1);
  }

  /** As a process that stood still would send what it has read before. */
  @Test
  void whatWasReadTooLongAgoIsReadAgain() {
    Fleet.Provisioned endpoint = fleet.endpoint(workspace, "crm");
    fleet.dispatcher();
    SqlConnection blocking = Fleet.await(fleet.database.getConnection());
    Fleet.await(blocking.query("begin; lock table deliveries").execute());
    fleet.captures(workspace, 1);
    await().until(() -> fleet.count(WAITING_FOR_A_LOCK) > 0);

    fleet.change(endpoint, EndpointChange.pausing(true));
    await().until(() -> fleet.count(WAITING_FOR_LONG) > 0);
    Fleet.await(blocking.query("commit").execute());
    Fleet.await(blocking.close());

    await().until(() -> fleet.count("deliveries where state = 'skipped'") == 1);
    assertThat(fleet.receivers.arrivals("crm")).isEmpty();
  }

  private static String scrape(int port) throws IOException, InterruptedException {
    String page =
        HttpClient.newHttpClient()
            .send(
                HttpRequest.newBuilder(URI.create("http://127.0.0.1:" + port + "/metrics")).build(),
                HttpResponse.BodyHandlers.ofString())
            .body();
    return page.replaceAll("egress_deliveries_queued [1-9].*", QUEUED);
  }

  @Test
  void sendsNothingToADeletedEndpoint() {
    Fleet.Provisioned endpoint = failingOnce("crm");
    fleet.endpoint(workspace, "other");
    fleet.delete(endpoint);
    fleet.captures(workspace, 3);

    await().until(() -> fleet.count("deliveries where state = 'skipped'") == 1);
    await().until(() -> fleet.receivers.arrivals("other").size() == 3);
    assertThat(fleet.receivers.arrivals("crm")).hasSize(1);
  }

  @Test
  void sendsTheRetryToTheNewUrl() {
    Fleet.Provisioned endpoint = failingOnce("before");
    fleet.change(endpoint, EndpointChange.of(_ -> EndpointSpec.of(fleet.receivers.url("after"))));

    await().until(() -> fleet.count("deliveries where state = 'delivered'") == 1);
    Arrival first = fleet.receivers.arrivals("before").get(0);
    Arrival second = fleet.receivers.arrivals("after").get(0);
    assertThat(second.deliveryId()).isEqualTo(first.deliveryId());
  }

  /** It is the next attempt that renders the document, with all that has changed since. */
  @Test
  void sendsTheCurrentDocument() {
    failingOnce("crm");
    fleet.receivers.behave("crm", (request, _) -> request.response().end());
    fleet.query("update captures set title = 'Renamed since', revision = revision + 1");

    await().until(() -> fleet.count("deliveries where state = 'delivered'") == 1);
    Arrival second = fleet.receivers.arrivals("crm").get(1);
    assertThat(second.envelope().getJsonObject("data").getString("title"))
        .isEqualTo("Renamed since");
    assertThat(second.envelope().getJsonObject("data").getString("emitted_at"))
        .isEqualTo(second.envelope().getString("emitted_at"));
  }

  private Fleet.Provisioned failingOnce(String receiver) {
    fleet.receivers.behave(receiver, FAILING);
    Fleet.Provisioned endpoint = fleet.endpoint(workspace, receiver);
    fleet.dispatcher();
    fleet.captures(workspace, 1);
    await().until(() -> fleet.count("deliveries where state = 'pending'") == 1);
    return endpoint;
  }
}
