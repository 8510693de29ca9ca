package io.egress.acceptance;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.egress.cli.InternalApi;
import io.egress.embedded.CertificateAuthority;
import io.egress.embedded.ClosedPort;
import io.egress.standalone.demo.SampleConversations;
import io.vertx.core.json.JsonObject;
import java.io.IOException;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.UUID;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.CleanupMode;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.api.parallel.Execution;
import org.junit.jupiter.api.parallel.ExecutionMode;

/** The commands that the README shows. */
@Execution(ExecutionMode.CONCURRENT)
class CommandLineTest {
  /** The secret comes last: scripts take the last word. */
  private static final String BOTH_FORMS =
      "standard-webhooks +whsec_[A-Za-z0-9+/=]{68}\\s+secret +whsec_[A-Za-z0-9_-]{43}\\s+";

  private static final Duration PATIENCE = Duration.ofSeconds(60);

  private final Path folder;

  CommandLineTest(@TempDir(cleanup = CleanupMode.ON_SUCCESS) Path folder) {
    this.folder = folder;
  }

  @Test
  @Timeout(240)
  void upContinuesAfterAKill() throws Exception {
    UUID workspace = UUID.randomUUID();
    Path secretKey = folder.resolve("data").resolve("secret-key");
    String sealed;
    String key;
    String cursor;
    try (CommandLine up = CommandLine.start(environment(), "up")) {
      up.awaitOutput("EGRESS_INTERNAL_TOKEN was generated and stored in (\\S+)");
      String token = token();
      assertThat(up.output()).as("nobody reads it at a terminal").doesNotContain(token);
      assertThat(up.awaitOutput("EGRESS_SECRET_KEY was generated and stored in ([^;]+);"))
          .isEqualTo(secretKey.toString());
      sealed = Files.readString(secretKey).strip();
      assertThat(up.output()).doesNotContain(sealed);
      assertThat(PosixFilePermissions.toString(Files.getPosixFilePermissions(secretKey)))
          .isEqualTo("rw-------");
      InternalApi api = api(up, token);
      put(api, workspace);
      String minted =
          api.call(
                  "POST",
                  "/workspaces/" + workspace + "/api-keys",
                  new JsonObject().put("name", "a"))
              .getString("key");
      key = minted;
      String url = pullUrl(up);
      await().atMost(PATIENCE).until(() -> Pull.captures(url, minted).size() == 1);
      cursor = Pull.page(url, key).getJsonObject("pageInfo").getString("endCursor");
      put(api, workspace);
      up.kill();
    }
    try (CommandLine up = CommandLine.start(environment(), "up")) {
      String url = pullUrl(up);
      String after = url + "?after=" + cursor;
      await().atMost(PATIENCE).until(() -> Pull.captures(after, key).size() == 1);
      assertThat(up.output())
          .as("what was made is told once")
          .doesNotContain("EGRESS_INTERNAL_TOKEN")
          .doesNotContain("EGRESS_SECRET_KEY")
          .doesNotContain(sealed);
      assertThat(Files.readString(secretKey).strip()).isEqualTo(sealed);

      try (CommandLine second = CommandLine.start(environment(), "up")) {
        assertThat(second.awaitExit()).isEqualTo(1);
        assertThat(second.output()).contains(folder.resolve("data").toString());
      }
      assertThat(Pull.captures(url, key).size()).isEqualTo(2);
      up.terminate();
      assertThat(up.awaitExit()).as(up.output()).isZero();
    }
  }

  @Test
  @Timeout(480)
  void aServiceIsAdministeredFromATerminal() throws Exception {
    try (CommandLine up = CommandLine.start(environment(), "up")) {
      String port = internalPort(up);
      keysAreMintedListedChangedAndDeleted(port);
      endpointsAreManaged(port);
      deliveriesAreListedAndShown(api(up, token()), port);
    }
  }

  private void keysAreMintedListedChangedAndDeleted(String port) throws Exception {
    String workspace = UUID.randomUUID().toString();
    try (CommandLine create = keys(port, "create", workspace, "--expires-in", "2d")) {
      assertThat(create.awaitExit()).as(create.output()).isZero();
      assertThat(create.output()).matches("service_[A-Za-z0-9]{32}\\s+");
    }
    String id;
    try (CommandLine list = keys(port, "list", workspace, "--json")) {
      assertThat(list.awaitExit()).isZero();
      JsonObject key = new JsonObject(list.output()).getJsonArray("api_keys").getJsonObject(0);
      id = key.getString("id");
      assertThat(key.getString("expires_at")).isNotNull();
      assertThat(key.getString("created_by")).isEqualTo(System.getProperty("user.name"));
    }
    try (CommandLine change = keys(port, "change", workspace, id, "--expires-in", "1h")) {
      assertThat(change.awaitExit()).as(change.output()).isZero();
      assertThat(change.output()).matches("expires_at  20\\S+Z\\s+");
    }
    try (CommandLine change = keys(port, "change", workspace, id, "--never")) {
      assertThat(change.awaitExit()).isEqualTo(1);
      assertThat(change.output()).contains("requires extend");
    }
    try (CommandLine change = keys(port, "change", workspace, id, "--never", "--extend")) {
      assertThat(change.awaitExit()).as(change.output()).isZero();
      assertThat(change.output()).isEqualToIgnoringWhitespace("expires_at never");
    }
    try (CommandLine delete = administer("keys", port, "--actor", "ada", "delete", workspace, id)) {
      assertThat(delete.awaitExit()).as(delete.output()).isZero();
    }
    try (CommandLine audit = administer("audit", port, "list", workspace)) {
      assertThat(audit.awaitExit()).as(audit.output()).isZero();
      assertThat(audit.output())
          .containsPattern("(?m)^20\\S+ +ada +api +127.0.0.1 +api_key.deleted +" + id)
          .contains("api_key.created");
    }
    try (CommandLine audit =
        administer("audit", port, "export", "--action", "api_key.deleted", "--thing", id)) {
      assertThat(audit.awaitExit()).as(audit.output()).isZero();
      assertThat(new JsonObject(audit.output()).getString("workspace_id")).isEqualTo(workspace);
    }
  }

  private void endpointsAreManaged(String port) throws Exception {
    String workspace = UUID.randomUUID().toString();
    String url = "https://receiver.invalid/webhooks?from=egress";
    String created =
        endpoints(port, "create", workspace, url, "--description", "search", "--full-history");
    assertThat(created).matches("id +[0-9a-f-]{36}\\s+" + BOTH_FORMS);
    String id = created.replaceFirst("(?s)id +(\\S+).*", "$1");
    CertificateAuthority.Issued issued = new CertificateAuthority().issueFor();

    JsonObject shown = new JsonObject(endpoints(port, "show", workspace, id));
    assertThat(shown.getString("url")).isEqualTo(url);
    assertThat(shown.getString("description")).isEqualTo("search");
    assertThat(shown.getBoolean("full_history")).isTrue();
    assertThat(shown.getBoolean("standard_webhooks")).isFalse();
    assertThat(shown.getBoolean("paused")).isFalse();
    assertThat(shown.containsKey("secret")).isFalse();
    assertThat(endpoints(port, "list", workspace)).contains(id);

    JsonObject changed =
        new JsonObject(
            endpoints(
                port,
                "change",
                workspace,
                id,
                "--header",
                "Authorization: Bearer a:b",
                "--max-per-second",
                "5",
                "--standard-webhooks",
                "--description",
                ""));
    assertThat(changed.getBoolean("standard_webhooks")).isTrue();
    assertThat(changed.getJsonArray("headers").encode()).isEqualTo("[\"authorization\"]");
    assertThat(changed.getInteger("max_per_second")).isEqualTo(5);
    assertThat(changed.getString("description")).isNull();
    changed =
        new JsonObject(
            endpoints(
                port,
                "change",
                workspace,
                id,
                "--remove-header",
                "authorization",
                "--max-per-second",
                "none",
                "--no-standard-webhooks",
                "--max-in-flight",
                "2",
                "--client-certificate",
                issued.writeCertificate(folder.resolve("client.pem")).toString(),
                "--client-key",
                issued.writeKey(folder.resolve("client.key")).toString()));
    assertThat(changed.getJsonObject("client_certificate").getString("subject"))
        .isEqualTo("CN=receiver");
    assertThat(changed.getBoolean("standard_webhooks")).isFalse();
    assertThat(changed.getJsonArray("headers")).isEmpty();
    assertThat(changed.getInteger("max_per_second")).isNull();
    assertThat(changed.getInteger("max_in_flight")).isEqualTo(2);

    changed =
        new JsonObject(endpoints(port, "change", workspace, id, "--client-certificate", "none"));
    assertThat(changed.getValue("client_certificate")).isNull();

    assertThat(isPausedAfter(port, "pause", workspace, id)).isTrue();
    assertThat(isPausedAfter(port, "resume", workspace, id)).isFalse();

    assertThat(endpoints(port, "rotate", workspace, id, "--overlap", "2h"))
        .matches(BOTH_FORMS)
        .doesNotContain(created.substring(created.indexOf("secret")));
    assertThat(previousUntil(port, workspace, id)).isNotNull();
    assertThat(endpoints(port, "rotate", workspace, id, "--end")).isEmpty();
    assertThat(previousUntil(port, workspace, id)).isNull();

    try (CommandLine test = administer("endpoints", port, "test", workspace, id, "--json")) {
      assertThat(test.awaitExit()).as(test.output()).isEqualTo(1);
      assertThat(new JsonObject(test.output()).getString("outcome")).isNotEqualTo("delivered");
    }

    try (CommandLine reseal = administer("secrets", port, "reseal")) {
      assertThat(reseal.awaitExit()).as(reseal.output()).isZero();
      assertThat(reseal.output()).containsPattern("k[0-9a-f]{12} +1 +true +true");
    }

    assertThat(endpoints(port, "delete", workspace, id)).isEmpty();
    try (CommandLine show = administer("endpoints", port, "show", workspace, id)) {
      assertThat(show.awaitExit()).isEqualTo(1);
      assertThat(show.output()).isEqualTo("no such endpoint in this workspace\n");
    }
  }

  private void deliveriesAreListedAndShown(InternalApi api, String port) throws Exception {
    UUID workspace = UUID.randomUUID();
    String path = "/workspaces/" + workspace + "/endpoints";
    String endpoint =
        api.call("POST", path, new JsonObject().put("url", "https://receiver.invalid/hook"))
            .getString("id");
    put(api, workspace);

    String list = "/workspaces/" + workspace + "/deliveries";
    await()
        .atMost(PATIENCE)
        .until(() -> api.call("GET", list, new JsonObject()).encode().contains("\"dns\""));
    assertThat(deliveries(port, "list", workspace.toString(), "--endpoint", endpoint))
        .contains("pending", " dns ");
    JsonObject listed =
        new JsonObject(
            deliveries(port, "list", workspace.toString(), "--state", "pending", "--json"));
    JsonObject delivery = listed.getJsonArray("deliveries").getJsonObject(0);
    assertThat(delivery.getString("endpoint_id")).isEqualTo(endpoint);
    assertThat(
            deliveries(
                port,
                "list",
                workspace.toString(),
                "--capture",
                delivery.getString("capture_id"),
                "--to",
                "2026-01-01T00:00:00Z"))
        .doesNotContain(endpoint);
    assertThat(
            deliveries(
                port, "list", workspace.toString(), "--from", "yesterday", "--state", "pending"))
        .contains(endpoint);
    String capture = delivery.getString("capture_id");
    try (CommandLine find = administer("captures", port, "find", capture)) {
      assertThat(find.awaitExit()).as(find.output()).isZero();
      assertThat(find.output())
          .containsPattern("workspace_id +" + workspace)
          .containsPattern("state +in the stream")
          .containsPattern(endpoint + " +pending +\\d+ +dns");
    }
    try (CommandLine find = administer("captures", port, "find", workspace.toString())) {
      assertThat(find.awaitExit()).isEqualTo(1);
      assertThat(find.output()).isEqualTo("no such capture: it was never put\n");
    }
    try (CommandLine change =
        administer("workspaces", port, "change", workspace.toString(), "--name", "Acme")) {
      assertThat(change.awaitExit()).as(change.output()).isZero();
      assertThat(change.output()).containsPattern("name +Acme");
    }
    try (CommandLine workspaces = administer("workspaces", port, "list")) {
      assertThat(workspaces.awaitExit()).as(workspaces.output()).isZero();
      assertThat(workspaces.output())
          .containsPattern(workspace + " +Acme +1 +1 +20\\S+ +- +1 +1 +0 +0 +1 +0 +- +false");
    }
    linksForOperators(port, workspace);
    try (CommandLine failing = administer("workspaces", port, "list", "--failing")) {
      assertThat(failing.awaitExit()).as(failing.output()).isZero();
      assertThat(failing.output())
          .containsPattern(workspace + " +" + endpoint + " +down +0 +\\d+ +dns ");
    }
    assertThat(deliveries(port, "show", workspace.toString(), delivery.getString("id")))
        .contains("state            pending")
        .containsPattern("attempt +started_at +duration_ms +outcome")
        .containsPattern("\n1 +20\\S+ +\\d+ +dns ");
    try (CommandLine show =
        administer(
            "deliveries",
            port,
            "show",
            workspace.toString(),
            delivery.getString("id"),
            "--body",
            "1")) {
      assertThat(show.awaitExit()).isEqualTo(1);
      assertThat(show.output()).isEqualTo("nothing was sent in this attempt\n");
    }
    resumingCatchesUp(api, port, workspace, endpoint);
  }

  private void linksForOperators(String port, UUID workspace) throws Exception {
    try (CommandLine portal = administer("portal", port, "--role", "operator")) {
      assertThat(portal.awaitExit()).as(portal.output()).isZero();
      assertThat(portal.output()).contains("/portal/open?token=");
    }
    try (CommandLine portal =
        administer("portal", port, workspace.toString(), "--role", "operator")) {
      assertThat(portal.awaitExit()).isEqualTo(2);
      assertThat(portal.output()).contains("leave WORKSPACE out");
    }
    try (CommandLine portal = administer("portal", port, "--role", "view")) {
      assertThat(portal.awaitExit()).isEqualTo(2);
      assertThat(portal.output()).contains("Missing required parameter: 'WORKSPACE'");
    }
  }

  private void resumingCatchesUp(InternalApi api, String port, UUID workspace, String endpoint)
      throws Exception {
    String deliveries = "/workspaces/" + workspace + "/deliveries";
    endpoints(port, "pause", workspace.toString(), endpoint);
    put(api, workspace);
    await()
        .atMost(PATIENCE)
        .until(
            () ->
                !api.call("GET", deliveries + "?state=skipped", new JsonObject())
                    .getJsonArray("deliveries")
                    .isEmpty());

    String resumed = endpoints(port, "resume", workspace.toString(), endpoint, "--catch-up");

    Matcher started = Pattern.compile("started replay (\\S+)").matcher(resumed);
    assertThat(started.find()).as(resumed).isTrue();
    assertThat(resumed).contains("\"paused\" : false");
    JsonObject replay =
        api.call(
            "GET", "/workspaces/" + workspace + "/replays/" + started.group(1), new JsonObject());
    assertThat(replay.getString("endpoint_id")).isEqualTo(endpoint);
    await()
        .atMost(PATIENCE)
        .until(
            () ->
                !api
                    .call(
                        "GET",
                        deliveries + "?capture_id=" + skipped(api, deliveries),
                        new JsonObject())
                    .getJsonArray("deliveries")
                    .stream()
                    .filter(each -> ((JsonObject) each).getString("origin").equals("replay"))
                    .toList()
                    .isEmpty());
  }

  private static String skipped(InternalApi api, String deliveries) {
    return api.call("GET", deliveries + "?state=skipped", new JsonObject())
        .getJsonArray("deliveries")
        .getJsonObject(0)
        .getString("capture_id");
  }

  @Test
  @Timeout(60)
  void reportsEveryInvalidSettingAndExitsWith2() throws Exception {
    try (CommandLine api =
        CommandLine.start(Map.of("EGRESS_PUBLIC_PORT", "x", "EGRESS_TYPO", "1"), "api")) {
      assertThat(api.awaitExit()).isEqualTo(2);
      assertThat(api.output())
          .contains("EGRESS_PUBLIC_PORT: must be a whole number")
          .contains("EGRESS_TYPO is not a setting")
          .contains("EGRESS_DATABASE_URL is required")
          .doesNotContain("Exception");
    }
  }

  @Test
  @Timeout(60)
  void upReportsObstaclesBeforeStartingAnything() throws Exception {
    Map<String, String> environment = environment();
    Path noFolder = Files.createFile(folder.resolve("file"));
    try (ServerSocket taken = new ServerSocket(0, 1, InetAddress.getLoopbackAddress())) {
      environment.put("EGRESS_INTERNAL_PORT", Integer.toString(taken.getLocalPort()));
      try (CommandLine up = CommandLine.start(environment, "up")) {
        assertThat(up.awaitExit()).isEqualTo(2);
        assertThat(up.output())
            .isEqualTo(
                "EGRESS_INTERNAL_PORT: cannot listen on 127.0.0.1:%d: Address already in use\n"
                    .formatted(taken.getLocalPort()));
      }
    }
    environment.put("EGRESS_INTERNAL_PORT", "0");
    environment.put("EGRESS_DATA_DIR", noFolder.toString());
    try (CommandLine up = CommandLine.start(environment, "up")) {
      assertThat(up.awaitExit()).isEqualTo(2);
      assertThat(up.output())
          .isEqualTo(
              "EGRESS_DATA_DIR: " + noFolder + " cannot be written to: it is not a folder\n");
    }
    environment.put("EGRESS_SWEEP_INTERVAL", "often");
    try (CommandLine up = CommandLine.start(environment, "up")) {
      assertThat(up.awaitExit()).isEqualTo(2);
      assertThat(up.output()).startsWith("EGRESS_SWEEP_INTERVAL").doesNotContain("Exception");
    }
  }

  @Test
  @Timeout(60)
  void reportsEqualPortsAndAnUnreachablePageAtTheStart() throws Exception {
    Map<String, String> environment = environment();
    environment.put("EGRESS_INTERNAL_PORT", "18080");
    environment.put("EGRESS_PUBLIC_PORT", "18080");
    environment.put("EGRESS_INTERNAL_HOST", "0.0.0.0");
    environment.put("EGRESS_PORTAL_ANCESTORS", "https://app.example.com");
    try (CommandLine up = CommandLine.start(environment, "up")) {
      assertThat(up.awaitExit()).isEqualTo(2);
      assertThat(up.output())
          .contains("EGRESS_PUBLIC_PORT and EGRESS_INTERNAL_PORT are both 18080")
          .contains("EGRESS_PORTAL_URL is required with EGRESS_PORTAL_ANCESTORS");
    }
  }

  @Test
  @Timeout(60)
  void commandsCallTheConfiguredAddress() throws Exception {
    try (ClosedPort port = ClosedPort.open();
        CommandLine keys =
            CommandLine.start(
                Map.of(
                    "EGRESS_INTERNAL_PORT",
                    Integer.toString(port.number()),
                    "EGRESS_INTERNAL_TOKEN",
                    "some-token-or-other"),
                "keys",
                "list",
                UUID.randomUUID().toString())) {
      assertThat(keys.awaitExit()).isEqualTo(1);
      assertThat(keys.output())
          .startsWith("http://127.0.0.1:" + port.number() + "/internal/v1 does not answer")
          .doesNotContain("Exception");
    }
  }

  private CommandLine keys(String port, String... arguments) throws IOException {
    return administer("keys", port, arguments);
  }

  private String endpoints(String port, String... arguments) throws Exception {
    try (CommandLine endpoints = administer("endpoints", port, arguments)) {
      assertThat(endpoints.awaitExit()).as(endpoints.output()).isZero();
      return endpoints.output();
    }
  }

  private String deliveries(String port, String... arguments) throws Exception {
    try (CommandLine deliveries = administer("deliveries", port, arguments)) {
      assertThat(deliveries.awaitExit()).as(deliveries.output()).isZero();
      return deliveries.output();
    }
  }

  private String token() throws IOException {
    return Files.readString(folder.resolve("data").resolve("internal-token")).strip();
  }

  private @Nullable String previousUntil(String port, String workspace, String id)
      throws Exception {
    return new JsonObject(endpoints(port, "show", workspace, id))
        .getString("previous_secret_until");
  }

  private boolean isPausedAfter(String port, String... arguments) throws Exception {
    return new JsonObject(endpoints(port, arguments)).getBoolean("paused");
  }

  private CommandLine administer(String command, String port, String... arguments)
      throws IOException {
    List<String> all = new ArrayList<>(List.of(command, "--port", port));
    all.addAll(List.of(arguments));
    return CommandLine.start(
        Map.of("EGRESS_DATA_DIR", folder.resolve("data").toString()), all.toArray(String[]::new));
  }

  private Map<String, String> environment() {
    Map<String, String> environment = new HashMap<>();
    environment.put("EGRESS_DATA_DIR", folder.resolve("data").toString());
    environment.put("EGRESS_PUBLIC_PORT", "0");
    environment.put("EGRESS_INTERNAL_PORT", "0");
    return environment;
  }

  private static void put(InternalApi api, UUID workspace) {
    api.call(
        "PUT", "/captures/" + UUID.randomUUID(), new SampleConversations(1, workspace).next(3));
  }

  private static InternalApi api(CommandLine up, String token) {
    return new InternalApi("127.0.0.1", Integer.parseInt(internalPort(up)), token);
  }

  private static String internalPort(CommandLine up) {
    return up.awaitOutput("internal API on http://127.0.0.1:(\\d+)/internal/v1");
  }

  private static String pullUrl(CommandLine up) {
    return up.awaitOutput("up: pull on (http://localhost:\\d+/api/v1/captures)");
  }
}
