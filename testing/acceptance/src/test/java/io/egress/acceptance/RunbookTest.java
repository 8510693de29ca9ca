package io.egress.acceptance;

import static java.util.stream.Collectors.toCollection;
import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.egress.standalone.demo.SampleConversations;
import io.egress.testing.ClosedPort;
import io.vertx.core.json.JsonObject;
import java.io.IOException;
import java.net.URI;
import java.sql.Connection;
import java.sql.DriverManager;
import java.sql.Statement;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import java.util.TreeSet;
import java.util.UUID;
import java.util.concurrent.CompletableFuture;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.MethodOrderer;
import org.junit.jupiter.api.Order;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.TestMethodOrder;

/** Each command of the runbook, in the state that its section is about. */
@Tag("full")
@TestMethodOrder(MethodOrderer.OrderAnnotation.class)
class RunbookTest {
  private static final Duration PATIENCE = Duration.ofSeconds(90);
  private static final Pattern COMMAND = Pattern.compile("`\\./egress ([^`]+)`");

  /** With the test that does it: PostgreSQL is shared here. */
  private static final Map<String, String> RUN_ELSEWHERE =
      Map.of(
          "EgressDatabaseAway: database", "DatabaseApiTest, HangingCommitsTest",
          "EgressDeliveryLogUnmaintained: database --wide", "DatabaseApiTest",
          "EgressStandbyUnused: database", "DatabaseApiTest");

  private static final Map<String, Set<String>> RUNBOOK = new TreeMap<>();
  private static final Set<String> RUN = new TreeSet<>();

  private static Map<String, String> environment;
  private static TenantWorld shared;

  private TenantWorld roles;
  private Administrator administrator;
  private final String workspace = UUID.randomUUID().toString();

  @BeforeAll
  static void start() throws IOException {
    for (String section : Snippets.page("docs/runbook.md").split("\n## ", -1)) {
      RUNBOOK.put(
          section.lines().findFirst().orElse(""),
          COMMAND
              .matcher(section)
              .results()
              .map(found -> found.group(1).replaceAll("\\s+", " "))
              .collect(toCollection(TreeSet::new)));
    }
    environment = BothRoles.environment();
    shared = new TenantWorld(environment);
  }

  @AfterAll
  static void stop() {
    shared.close();
  }

  @BeforeEach
  void useShared() {
    use(shared);
  }

  private void use(TenantWorld world) {
    roles = world;
    administrator = new Administrator(world.internalPort(), BothRoles.TOKEN);
  }

  @Test
  void anEndpointIsDown() {
    roles.breakDown("crm");
    String endpoint = endpoint("crm");
    String capture = put();
    String delivery = awaitDelivery("exhausted").getString("id");

    for (String section :
        List.of(
            "EgressDeliveriesLate",
            "EgressAttemptsFailing",
            "EgressDeliveriesExhausted",
            "EgressEndpointsFailing",
            "EgressEndpointsStuck")) {
      assertThat(follow(section, "workspaces list --failing", Map.of()))
          .containsPattern(workspace + " +" + endpoint + " +down");
    }
    follow(
        "EgressEndpointsStuck",
        "endpoints change",
        Map.of(
            "endpoints change",
            "endpoints change " + workspace + " " + endpoint + " --max-in-flight 2"));
    assertThat(
            follow(
                "EgressDeliveriesExhausted",
                "deliveries list WORKSPACE --endpoint ID --state exhausted",
                Map.of("ID", endpoint)))
        .contains(delivery);
    for (String section :
        List.of("EgressDeliveriesExhausted", "An endpoint was down for longer than retries last")) {
      follow(3, section, "verify WORKSPACE", Map.of());
    }
    String notHere = "\"We did not get capture X\"";
    assertThat(follow(notHere, "captures show ID", Map.of("ID", capture)))
        .containsPattern("exhausted \\(3\\) +answered");
    assertThat(follow(notHere, "deliveries show WORKSPACE ID", Map.of("ID", delivery)))
        .containsPattern("(?m)^3 +20\\S+ +\\d+ +status +503");

    String started =
        administrator.json("replays", "start", workspace, endpoint, "--failed").getString("id");
    follow(
        "An endpoint was down for longer than retries last",
        "replays cancel WORKSPACE REPLAY-ID",
        Map.of("REPLAY-ID", started));

    awaitReplayable();
    roles.repair();
    for (String section :
        List.of("EgressDeliveriesExhausted", "An endpoint was down for longer than retries last")) {
      follow(
          section,
          "replays start WORKSPACE ENDPOINT --failed --wait",
          Map.of("ENDPOINT", endpoint));
      assertThat(roles.isDelivered("crm", UUID.fromString(capture))).isTrue();
    }
    administrator.run("verify", workspace);
    assertThat(follow(notHere, "deliveries redeliver WORKSPACE ID", Map.of("ID", delivery)))
        .matches("[0-9a-f-]{36}\\s+");
  }

  @Test
  void anEndpointWasPaused() {
    Map<String, String> changed = BothRoles.environment();
    changed.put("EGRESS_PAUSE_FAILING_AFTER", "15s");
    try (TenantWorld pausing = new TenantWorld(changed)) {
      use(pausing);
      followPausedEndpoint();
    }
  }

  private void followPausedEndpoint() {
    roles.breakDown("search");
    String endpoint = endpoint("search");
    await()
        .atMost(PATIENCE)
        .pollInterval(Duration.ofSeconds(2))
        .until(() -> {
          put();
          return administrator.json("endpoints", "show", workspace, endpoint).getBoolean("paused");
        });
    String section = "EgressEndpointsPaused";
    assertThat(follow(section, "audit list --action endpoint.paused", Map.of())).contains(endpoint);
    Map<String, String> values = Map.of("ENDPOINT", endpoint);
    assertThat(follow(section, "endpoints show WORKSPACE ENDPOINT", values))
        .containsPattern("(?m)^paused_at +20")
        .containsPattern("(?m)^paused_reason +failing$");
    follow(1, section, "endpoints test WORKSPACE ENDPOINT", values);
    roles.repair();
    follow(section, "endpoints test WORKSPACE ENDPOINT", values);
    assertThat(follow(section, "endpoints resume WORKSPACE ENDPOINT --catch-up", values))
        .contains("started replay ");
    await()
        .atMost(PATIENCE)
        .untilAsserted(() ->
            assertThat(
                    administrator
                        .json("verify", workspace)
                        .getJsonArray("endpoints")
                        .getJsonObject(0)
                        .getLong("replayable"))
                .isZero());
  }

  @Test
  void theProxyIsDown() throws Exception {
    try (ClosedPort proxy = ClosedPort.open()) {
      Map<String, String> changed = BothRoles.environment();
      changed.put("EGRESS_PROXY", "http://127.0.0.1:" + proxy.number());
      try (TenantWorld behind = new TenantWorld(changed)) {
        use(behind);
        String endpoint =
            administrator
                .json("endpoints", "create", workspace, "https://127.0.0.1:8443/hook")
                .getString("id");
        put();
        String delivery = awaitDelivery("exhausted").getString("id");
        String section = "EgressProxyFailing";
        String known = "cannot connect to the proxy";
        assertThat(
                follow(
                    section,
                    "deliveries show",
                    Map.of("deliveries show", "deliveries show " + workspace + " " + delivery)))
            .contains(known);
        assertThat(
                follow(
                    1,
                    section,
                    "endpoints test",
                    Map.of("endpoints test", "endpoints test " + workspace + " " + endpoint)))
            .contains(known);
      }
    }
  }

  @Test
  void somethingHoldsAWorkspacesLock() throws Exception {
    put();
    URI url = URI.create(environment.get("EGRESS_DATABASE_URL"));
    String[] account = url.getUserInfo().split(":", 2);
    try (Connection holder =
            DriverManager.getConnection(
                "jdbc:postgresql://%s:%d%s".formatted(url.getHost(), url.getPort(), url.getPath()),
                account[0],
                account[1]);
        Statement statement = holder.createStatement()) {
      holder.setAutoCommit(false);
      statement.execute("set application_name = 'a forgotten psql'");
      statement.execute("select from workspaces where id = '" + workspace + "' for no key update");
      CompletableFuture<String> waiting = CompletableFuture.supplyAsync(this::put);
      for (String section : List.of("EgressHooksUnanswered", "EgressDatabasePoolBusy")) {
        await()
            .atMost(PATIENCE)
            .untilAsserted(() ->
                assertThat(follow(section, "database --wide", Map.of()))
                    .contains("a forgotten psql", "Lock: transactionid"));
      }
      holder.rollback();
      waiting.join();
    }
  }

  @Test
  void aSecretHasLeakedWhileTheOneBeforeItStillSigns() {
    String endpoint = endpoint("live");
    administrator.run("endpoints", "rotate", workspace, endpoint);
    Map<String, String> values = Map.of("ENDPOINT", endpoint);
    String section = "A signing secret has leaked";
    assertThat(follow(section, "audit list WORKSPACE --thing ENDPOINT", values))
        .contains("endpoint.created");
    assertThat(follow(section, "endpoints rotate WORKSPACE ENDPOINT --overlap 0s", values))
        .contains("secret  whsec_");
    assertThat(
            administrator
                .json("endpoints", "show", workspace, endpoint)
                .getString("previous_secret_until"))
        .isNull();
  }

  @Test
  void aKeyHasLeaked() {
    String section = "An API key has leaked";
    assertThat(follow(section, "keys create WORKSPACE", Map.of())).contains("service_");
    String leaked =
        administrator
            .json("keys", "list", workspace)
            .getJsonArray("api_keys")
            .getJsonObject(0)
            .getString("id");
    assertThat(follow(section, "keys list WORKSPACE", Map.of())).contains(leaked);
    assertThat(
            follow(
                section, "keys change WORKSPACE KEY-ID --expires-in 1d", Map.of("KEY-ID", leaked)))
        .contains("expires_at");
    follow(section, "keys delete WORKSPACE KEY-ID", Map.of("KEY-ID", leaked));
    assertThat(administrator.run("keys", "list", workspace)).doesNotContain(leaked);
  }

  @Test
  void aClientHasStoppedPulling() {
    put();
    administrator.run(0, "keys", "create", workspace, "--expect-within", "26h");
    String section = "EgressReadersStopped";

    assertThat(follow(section, "readers list WORKSPACE", Map.of()))
        .containsPattern("captures +never +1 ");
    String key =
        administrator
            .json("keys", "list", workspace)
            .getJsonArray("api_keys")
            .getJsonObject(0)
            .getString("id");
    assertThat(
            follow(
                section,
                "keys change WORKSPACE KEY-ID --expect-within never",
                Map.of("KEY-ID", key)))
        .contains("expect_within  never");
  }

  /** Fails if it runs alone. */
  @Test
  @Order(Integer.MAX_VALUE)
  void everyCommandWasRun() {
    Set<String> all = new TreeSet<>();
    RUNBOOK.forEach(
        (section, commands) -> commands.forEach(command -> all.add(section + ": " + command)));
    Set<String> covered = new TreeSet<>(RUN);
    covered.addAll(RUN_ELSEWHERE.keySet());
    assertThat(covered).isEqualTo(all);
  }

  private String follow(String section, String command, Map<String, String> values) {
    return follow(0, section, command, values);
  }

  /** Runs a command as the section has it, with the values of what it leaves open. */
  private String follow(int status, String section, String command, Map<String, String> values) {
    assertThat(RUNBOOK.get(section)).as(section).contains(command);
    RUN.add(section + ": " + command);
    Map<String, String> all = new TreeMap<>(values);
    all.put("WORKSPACE", workspace);
    String filled = command;
    for (Map.Entry<String, String> value : all.entrySet()) {
      filled =
          Pattern.compile("(?<![A-Z-])" + value.getKey() + "(?![A-Z-])")
              .matcher(filled)
              .replaceAll(Matcher.quoteReplacement(value.getValue()));
    }
    return administrator.run(status, filled.split(" "));
  }

  private String endpoint(String name) {
    return administrator
        .json("endpoints", "create", workspace, roles.receiver(name))
        .getString("id");
  }

  private String put() {
    String id = UUID.randomUUID().toString();
    roles.call(
        "PUT", "/captures/" + id, new SampleConversations(1, UUID.fromString(workspace)).next(2));
    return id;
  }

  /** A delivery of the canceled replay that is on its way is not sent again. */
  private void awaitReplayable() {
    await()
        .atMost(PATIENCE)
        .untilAsserted(() ->
            assertThat(
                    new JsonObject(administrator.run(3, "verify", workspace, "--json"))
                        .getJsonArray("endpoints")
                        .getJsonObject(0)
                        .getLong("replayable"))
                .isEqualTo(1));
  }

  private JsonObject awaitDelivery(String state) {
    List<JsonObject> found = new ArrayList<>();
    await()
        .atMost(PATIENCE)
        .until(() -> {
          administrator
              .json("deliveries", "list", workspace, "--state", state)
              .getJsonArray("deliveries")
              .forEach(delivery -> found.add((JsonObject) delivery));
          return !found.isEmpty();
        });
    return found.get(0);
  }
}
