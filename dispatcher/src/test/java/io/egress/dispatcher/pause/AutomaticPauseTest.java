package io.egress.dispatcher.pause;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.egress.dispatcher.Fleet;
import io.egress.dispatcher.Receivers.Behaviour;
import io.egress.webhook.endpoint.EndpointChange;
import io.vertx.sqlclient.Row;
import java.util.Map;
import java.util.UUID;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.parallel.Execution;
import org.junit.jupiter.api.parallel.ExecutionMode;

/** Endpoints that only fail are paused, if so configured. */
@Execution(ExecutionMode.CONCURRENT)
class AutomaticPauseTest {
  private static final Behaviour FAILING =
      (request, _) -> request.response().setStatusCode(503).end();
  private static final String PAUSED = "endpoints where paused and paused_reason = 'failing'";
  private static final String FAILS = "endpoints where failing_since is not null";

  /** Long: tests put failing_since back instead of waiting. */
  private static final Map<String, String> PAUSING =
      Map.of(
          "EGRESS_PAUSE_FAILING_AFTER",
          "5d",
          "EGRESS_RETRY_SCHEDULE",
          "1s,1s,1s,1s,1s,1s,1s,1s,1s,1s,1h");

  private final UUID workspace = UUID.randomUUID();
  private Fleet fleet = new Fleet(PAUSING);

  @AfterEach
  void close() {
    fleet.close();
  }

  @Test
  void pausesWhatHasFailedForTheWholeTimeAndSkipsWhatFallsDueAfterwards() {
    fleet.receivers.behave("crm", FAILING);
    fleet.endpoint(workspace, "crm");
    fleet.dispatcher();
    fleet.captures(workspace, 1);
    await().until(() -> fleet.count(FAILS) == 1);
    await().until(() -> fleet.receivers.arrivals("crm").size() >= 3);
    assertThat(fleet.count(PAUSED)).as("not for the whole time yet").isZero();

    failFor("6 days");

    await().until(() -> fleet.count(PAUSED) == 1);
    await().until(() -> fleet.count("deliveries where state = 'skipped'") == 1);
    Row entry =
        fleet
            .query("select action, kind, via, actor, workspace_id, changes::text from audit")
            .iterator()
            .next();
    assertThat(entry.getString("action")).isEqualTo("endpoint.paused");
    assertThat(entry.getString("via")).isEqualTo("system");
    assertThat(entry.getString("actor")).isNull();
    assertThat(entry.getUUID("workspace_id")).isEqualTo(workspace);
    assertThat(entry.getString("changes")).contains("\"reason\": \"failing\"");
    assertThat(fleet.count("audit")).isEqualTo(1);
  }

  @Test
  void oneDeliveryEndsTheTime() {
    fleet.receivers.behave("crm", (request, nth) -> FAILING.answer(request, nth));
    fleet.endpoint(workspace, "crm");
    fleet.dispatcher();
    fleet.captures(workspace, 1);
    await().until(() -> fleet.count(FAILS) == 1);

    fleet.receivers.behave("crm", (request, _) -> request.response().end());

    await().until(() -> fleet.count("deliveries where state = 'delivered'") == 1);
    await().until(() -> fleet.count(FAILS) == 0);
    assertThat(fleet.count("endpoints where paused")).isZero();
  }

  @Test
  @Tag("full")
  void respectsThatSomebodyHasResumedIt() {
    fleet.receivers.behave("crm", FAILING);
    Fleet.Provisioned endpoint = fleet.endpoint(workspace, "crm");
    fleet.dispatcher();
    fleet.captures(workspace, 1);
    await().until(() -> fleet.count(FAILS) == 1);
    failFor("6 days");
    await().until(() -> fleet.count(PAUSED) == 1);

    fleet.change(endpoint, EndpointChange.pausing(false));
    int before = fleet.receivers.arrivals("crm").size();
    fleet.captures(workspace, 1);

    await().until(() -> fleet.receivers.arrivals("crm").size() >= before + 3);
    assertThat(fleet.count("endpoints where paused")).isZero();
  }

  @Test
  @Tag("full")
  void pausesNothingUnlessItIsAskedTo() {
    fleet.close();
    fleet = new Fleet(Map.of("EGRESS_RETRY_SCHEDULE", "1s,1s,1s,1s,1s,1s,1s,1s,1s,1s,1h"));
    fleet.receivers.behave("crm", FAILING);
    fleet.endpoint(workspace, "crm");
    failFor("6 days");
    fleet.dispatcher();
    fleet.captures(workspace, 1);

    await().until(() -> fleet.receivers.arrivals("crm").size() >= 4);
    assertThat(fleet.count("endpoints where paused")).isZero();

    fleet.receivers.behave("crm", (request, _) -> request.response().end());
    fleet.captures(workspace, 1);
    await()
        .until(() -> fleet.count(FAILS) == 0); // Else it would count once pausing is wanted again.
  }

  private void failFor(String interval) {
    fleet.query("update endpoints set failing_since = now() - interval '" + interval + "'");
  }
}
