package io.egress.acceptance;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.egress.standalone.demo.SampleConversations;
import io.egress.testing.CertificateAuthority;
import io.vertx.core.json.JsonArray;
import io.vertx.core.json.JsonObject;
import java.io.StringWriter;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Map;
import java.util.UUID;
import java.util.concurrent.CompletableFuture;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.api.parallel.Execution;
import org.junit.jupiter.api.parallel.ExecutionMode;

/** A service is administered with the commands of {@code ./egress}. */
@Execution(ExecutionMode.CONCURRENT)
class AdministrationTest {
  /** The form for x-service-signature comes first, unless the endpoint uses Standard Webhooks. */
  private static final String BOTH_FORMS =
      "secret +whsec_[A-Za-z0-9_-]{43}\\s+for x-service-signature\\s+"
          + "standard-webhooks +whsec_[A-Za-z0-9+/=]{68}\\s+the same secret for libraries of Standard Webhooks and Svix\\s+";

  private static TenantWorld roles;
  private static Administrator administrator;

  @BeforeAll
  static void start() {
    Map<String, String> environment = BothRoles.environment();
    environment.put("EGRESS_RETRY_SCHEDULE", "1h");
    roles = new TenantWorld(environment);
    administrator = new Administrator(roles.internalPort(), BothRoles.TOKEN);
  }

  @AfterAll
  static void stop() {
    roles.close();
  }

  @Test
  void keysAreMintedListedChangedAndDeleted() {
    String workspace = UUID.randomUUID().toString();
    String create = run("keys", "create", workspace, "--expires-in", "2d");
    assertThat(create).matches("service_[A-Za-z0-9]{32}\\s+");
    JsonObject key =
        administrator.json("keys", "list", workspace).getJsonArray("api_keys").getJsonObject(0);
    String id = key.getString("id");
    assertThat(key.getString("expires_at")).isNotNull();
    assertThat(key.getString("created_by")).isEqualTo(System.getProperty("user.name"));
    assertThat(run("keys", "change", workspace, id, "--expires-in", "1h"))
        .matches("expires_at  20\\S+Z\\s+");
    assertThat(administrator.run(1, "keys", "change", workspace, id, "--never"))
        .contains("requires extend");
    assertThat(run("keys", "change", workspace, id, "--never", "--extend"))
        .isEqualToIgnoringWhitespace("expires_at never");
    assertThat(run("keys", "change", workspace, id, "--expect-within", "26h"))
        .isEqualToIgnoringWhitespace("expect_within 26h");
    assertThat(
            run("keys", "change", workspace, id, "--expect-within", "never", "--expires-in", "1h"))
        .matches("expires_at  20\\S+Z\\s+expect_within  never\\s+");
    assertThat(administrator.run(2, "keys", "change", workspace, id))
        .contains("--expect-within is required");
    assertThat(
            administrator.run(
                2, "keys", "change", workspace, id, "--extend", "--expect-within", "26h"))
        .contains("--extend goes with --expires-in");
    run("keys", "--actor", "ada", "delete", workspace, id);
    assertThat(run("audit", "list", workspace, "--wide"))
        .containsPattern("(?m)^20\\S+ +ada +api +127.0.0.1 +api_key.deleted +" + id)
        .contains("api_key.created");
  }

  @Test
  void transcriptsOfOtherProgramsArePutIn(@TempDir Path folder) throws Exception {
    String workspace = UUID.randomUUID().toString();
    Path zoom = folder.resolve("Kickoff.vtt");
    Files.writeString(
        zoom,
        """
        WEBVTT

        1
        00:00:01.000 --> 00:00:04.000
        Ada Lovelace: Good morning.

        2
        00:00:04.000 --> soon
        Grace Hopper: Lost.
        """);
    Path whisper = folder.resolve("review.json");
    Files.writeString(
        whisper,
        "{\"segments\":[{\"start\":0,\"end\":2.5,\"text\":\"Hello.\",\"speaker\":\"SPEAKER_00\"}]}");
    Path photo = folder.resolve("photo.png");
    Files.write(photo, new byte[] {(byte) 0x89, 'P', 'N', 'G', (byte) 0xff});
    String[] call = {"import", "--workspace", workspace, zoom.toString(), whisper.toString()};

    JsonObject first =
        new JsonObject(
                administrator
                    .run(1, with(call, "--dry-run", "--json"))
                    .replaceFirst("(?s)^[^{]*", ""))
            .getJsonArray("captures")
            .getJsonObject(0);
    assertThat(first.getJsonObject("capture").getString("title")).isEqualTo("Kickoff");
    assertThat(administrator.run(1, "captures", "list", workspace)).contains("no such workspace");

    assertThat(administrator.run(1, with(call, photo.toString())))
        .contains("Kickoff.vtt: left out: line 8: times", "photo.png: it is not text in UTF-8")
        .containsPattern("Kickoff.vtt +created +WebVTT")
        .containsPattern("review.json +created +Whisper");
    assertThat(administrator.run(1, call))
        .containsPattern("Kickoff.vtt +unchanged")
        .containsPattern("review.json +unchanged");
    assertThat(run("captures", "list", workspace)).contains("Kickoff", "review", "Import");
    assertThat(run("captures", "show", first.getString("id"))).contains("in the stream");
  }

  private static String[] with(String[] call, String... more) {
    return Stream.concat(Stream.of(call), Stream.of(more)).toArray(String[]::new);
  }

  @Test
  void endpointsAreManaged(@TempDir Path folder) throws Exception {
    String workspace = UUID.randomUUID().toString();
    String url = "https://receiver.invalid/webhooks?from=egress";
    String created =
        run("endpoints", "create", workspace, url, "--description", "search", "--full-history");
    assertThat(created).matches("id +[0-9a-f-]{36}\\s+" + BOTH_FORMS);
    String id = created.replaceFirst("(?s)id +(\\S+).*", "$1");
    CertificateAuthority.Issued issued = new CertificateAuthority().issueFor();

    JsonObject shown = administrator.json("endpoints", "show", workspace, id);
    assertThat(shown.getString("url")).isEqualTo(url);
    assertThat(shown.getString("description")).isEqualTo("search");
    assertThat(shown.getBoolean("full_history")).isTrue();
    assertThat(shown.getBoolean("standard_webhooks")).isFalse();
    assertThat(shown.getBoolean("paused")).isFalse();
    assertThat(shown.containsKey("secret")).isFalse();
    assertThat(run("endpoints", "show", workspace, id))
        .containsPattern("(?m)^url +" + Pattern.quote(url) + "$")
        .containsPattern("(?m)^max_per_second +-$");
    assertThat(run("endpoints", "list", workspace)).contains(id);

    JsonObject changed =
        administrator.json(
            "endpoints",
            "change",
            workspace,
            id,
            "--header",
            "Authorization: Bearer a:b",
            "--max-per-second",
            "5",
            "--standard-webhooks",
            "--description",
            "");
    assertThat(changed.getBoolean("standard_webhooks")).isTrue();
    assertThat(changed.getJsonArray("headers").encode()).isEqualTo("[\"authorization\"]");
    assertThat(changed.getInteger("max_per_second")).isEqualTo(5);
    assertThat(changed.getString("description")).isNull();
    changed =
        administrator.json(
            "endpoints",
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
            issued.writeKey(folder.resolve("client.key")).toString());
    assertThat(changed.getJsonObject("client_certificate").getString("subject"))
        .isEqualTo("CN=receiver");
    assertThat(changed.getBoolean("standard_webhooks")).isFalse();
    assertThat(changed.getJsonArray("headers")).isEmpty();
    assertThat(changed.getInteger("max_per_second")).isNull();
    assertThat(changed.getInteger("max_in_flight")).isEqualTo(2);

    changed =
        administrator.json("endpoints", "change", workspace, id, "--client-certificate", "none");
    assertThat(changed.getValue("client_certificate")).isNull();

    assertThat(isPausedAfter("pause", workspace, id)).isTrue();
    assertThat(isPausedAfter("resume", workspace, id)).isFalse();

    assertThat(run("endpoints", "rotate", workspace, id, "--overlap", "2h"))
        .matches(BOTH_FORMS)
        .doesNotContain(created.substring(created.indexOf("secret")));
    assertThat(previousUntil(workspace, id)).isNotNull();
    assertThat(run("endpoints", "rotate", workspace, id, "--end"))
        .isEqualTo("Ended the overlap; only the newest secret signs.\n");
    assertThat(previousUntil(workspace, id)).isNull();

    String test = administrator.run(1, "endpoints", "test", workspace, id, "--json");
    assertThat(new JsonObject(test).getString("outcome")).isNotEqualTo("delivered");
    assertThat(administrator.run(1, "endpoints", "test", workspace, id))
        .containsPattern("(?m)^outcome +dns$")
        .containsPattern("(?m)^detail +\\S+");

    String reseal = run("secrets", "reseal");
    assertThat(reseal).containsPattern("k[0-9a-f]{12} +\\d+ +true +true");

    assertThat(run("endpoints", "delete", workspace, id))
        .startsWith("Deleted the endpoint https://");
    String show = administrator.run(1, "endpoints", "show", workspace, id);
    assertThat(show).isEqualTo("no such endpoint in this workspace\n");
  }

  @Test
  void aCloneThatIsSentTheStreamIsAReader() {
    String workspace = UUID.randomUUID().toString();
    String created =
        run("endpoints", "create", workspace, "https://receiver.invalid/w", "--description", "crm");
    String id = created.replaceFirst("(?s)id +(\\S+).*", "$1");

    String clone = run("endpoints", "clone", workspace, id, "--delivery", "stream", "--batch", "7");

    assertThat(clone).matches("id +[0-9a-f-]{36}\\s+" + BOTH_FORMS).doesNotContain(id);
    String cloneId = clone.replaceFirst("(?s)id +(\\S+).*", "$1");
    JsonObject shown = administrator.json("endpoints", "show", workspace, cloneId);
    assertThat(shown.getInteger("batch")).isEqualTo(7);
    assertThat(shown.getBoolean("paused")).isTrue();
    assertThat(run("readers", "list", workspace, "--wide"))
        .containsPattern(cloneId + " +crm +- +captures +at end ")
        .doesNotContain("changes");
  }

  @Test
  void deliveriesAreListedAndShown() {
    UUID workspace = UUID.randomUUID();
    String path = "/workspaces/" + workspace + "/endpoints";
    String endpoint =
        roles
            .call("POST", path, new JsonObject().put("url", "https://receiver.invalid/hook"))
            .getString("id");
    put(workspace);

    String list = "/workspaces/" + workspace + "/deliveries";
    await().until(() -> roles.call("GET", list, new JsonObject()).encode().contains("\"dns\""));
    assertThat(run("deliveries", "list", workspace.toString(), "--endpoint", endpoint))
        .containsPattern("pending \\(1\\) +host name not");
    JsonObject listed =
        new JsonObject(
            run("deliveries", "list", workspace.toString(), "--state", "pending", "--json"));
    JsonObject delivery = listed.getJsonArray("deliveries").getJsonObject(0);
    assertThat(delivery.getString("endpoint_id")).isEqualTo(endpoint);
    assertThat(
            run(
                "deliveries",
                "list",
                workspace.toString(),
                "--capture",
                delivery.getString("capture_id"),
                "--to",
                "2026-01-01T00:00:00Z"))
        .doesNotContain("receiver.i");
    assertThat(
            run(
                "deliveries",
                "list",
                workspace.toString(),
                "--from",
                "yesterday",
                "--state",
                "pending"))
        .contains("receiver.i");
    String capture = delivery.getString("capture_id");
    assertThat(run("captures", "list", workspace.toString(), "--search", capture))
        .containsPattern("entered_at +title +speakers +device +mode +id")
        .contains(capture);
    assertThat(run("captures", "list", workspace.toString(), "--mode", "manual", "--member", "x"))
        .doesNotContain(capture);
    assertThat(run("captures", "show", capture))
        .containsPattern("workspace_id +" + workspace)
        .containsPattern("state +in the stream")
        .containsPattern("receiver.invalid +pending \\(1\\) +host name not found ");
    assertThat(administrator.run(1, "captures", "show", workspace.toString()))
        .isEqualTo("the service never received a capture with this id\n");
    assertThat(run("workspaces", "change", workspace.toString(), "--name", "Acme"))
        .containsPattern("name +Acme");
    assertThat(run("workspaces", "list", "--wide"))
        .containsPattern(workspace + " +Acme +1 +1 +20\\S+ +- +1 +1 +0 +0 +1 +0 +- +false");
    assertThat(run("workspaces", "list", "--failing"))
        .containsPattern(workspace + " +" + endpoint + " +down +host name not");
    assertThat(run("deliveries", "show", workspace.toString(), delivery.getString("id")))
        .containsPattern("(?m)^state +pending$")
        .containsPattern("attempt +started_at +duration_ms +outcome")
        .containsPattern("\n1 +20\\S+ +\\d+ +dns ");
    assertThat(
            administrator.run(
                1,
                "deliveries",
                "show",
                workspace.toString(),
                delivery.getString("id"),
                "--body",
                "1"))
        .isEqualTo("nothing was sent in this attempt\n");
    resumingCatchesUp(workspace, endpoint);
  }

  @Test
  void aPageIsShownLikeADelivery() {
    UUID workspace = UUID.randomUUID();
    String endpoint =
        administrator
            .json(
                "endpoints",
                "create",
                workspace.toString(),
                "https://receiver.invalid/pages",
                "--delivery",
                "stream")
            .getString("id");
    put(workspace);
    await().until(() -> !pages(workspace, endpoint).isEmpty());
    String page = pages(workspace, endpoint).getJsonObject(0).getString("id");
    assertThat(run("endpoints", "pages", workspace.toString(), endpoint, "--wide"))
        .contains("host name not");

    String[] show = {"deliveries", "show", workspace.toString(), page};
    assertThat(run(show))
        .containsPattern("(?m)^id +" + page + "$")
        .containsPattern("attempt +started_at +duration_ms +outcome")
        .containsPattern("\n1 +20\\S+ +\\d+ +dns ");
    assertThat(administrator.run(1, with(show, "--body", "1")))
        .isEqualTo("this is a page, and the bodies of pages are not kept\n");
    assertThat(administrator.run(1, "deliveries", "show", workspace.toString(), endpoint))
        .isEqualTo("no such delivery in this workspace\n");
  }

  private static JsonArray pages(UUID workspace, String endpoint) {
    return administrator
        .json("endpoints", "pages", workspace.toString(), endpoint)
        .getJsonArray("pages");
  }

  @Test
  void aReplayThatWaitsForAPausedEndpointSaysSo() {
    UUID workspace = UUID.randomUUID();
    String endpoint =
        administrator
            .json("endpoints", "create", workspace.toString(), roles.receiver("paused"))
            .getString("id");
    put(workspace);
    run("endpoints", "pause", workspace.toString(), endpoint);
    String[] start = {
      "replays", "start", workspace.toString(), endpoint, "--from-position", "1", "--wait"
    };

    StringWriter printed = new StringWriter();
    CompletableFuture<Integer> status =
        CompletableFuture.supplyAsync(() -> administrator.run(printed, start));
    await().until(() -> printed.toString().contains("the endpoint is paused"));
    assertThat(run("replays", "list", workspace.toString(), endpoint)).contains("waiting");
    run("endpoints", "resume", workspace.toString(), endpoint);

    assertThat(status.join()).as(printed::toString).isZero();
    assertThat(printed.toString()).containsPattern("(?m)^delivered +1$");
  }

  @Test
  void linksForOperatorsAreOfNoWorkspace() {
    String workspace = UUID.randomUUID().toString();
    assertThat(run("portal", "--role", "operator")).contains("/portal/open#");
    assertThat(administrator.run(2, "portal", workspace, "--role", "operator"))
        .contains("leave WORKSPACE out");
    assertThat(administrator.run(2, "portal", "--role", "view"))
        .contains("Missing required parameter: 'WORKSPACE'");
  }

  private static void resumingCatchesUp(UUID workspace, String endpoint) {
    String deliveries = "/workspaces/" + workspace + "/deliveries";
    run("endpoints", "pause", workspace.toString(), endpoint);
    put(workspace);
    await()
        .until(() ->
            !roles
                .call("GET", deliveries + "?state=skipped", new JsonObject())
                .getJsonArray("deliveries")
                .isEmpty());

    String resumed = run("endpoints", "resume", workspace.toString(), endpoint, "--catch-up");

    Matcher started = Pattern.compile("started replay (\\S+)").matcher(resumed);
    assertThat(started.find()).as(resumed).isTrue();
    assertThat(resumed).containsPattern("(?m)^paused +false$");
    JsonObject replay =
        roles.call(
            "GET", "/workspaces/" + workspace + "/replays/" + started.group(1), new JsonObject());
    assertThat(replay.getString("endpoint_id")).isEqualTo(endpoint);
    await()
        .until(() ->
            !roles
                .call("GET", deliveries + "?capture_id=" + skipped(deliveries), new JsonObject())
                .getJsonArray("deliveries")
                .stream()
                .filter(each -> ((JsonObject) each).getString("origin").equals("replay"))
                .toList()
                .isEmpty());
  }

  private static String skipped(String deliveries) {
    return roles
        .call("GET", deliveries + "?state=skipped", new JsonObject())
        .getJsonArray("deliveries")
        .getJsonObject(0)
        .getString("capture_id");
  }

  private static void put(UUID workspace) {
    roles.call(
        "PUT", "/captures/" + UUID.randomUUID(), new SampleConversations(1, workspace).next(3));
  }

  private static String run(String... words) {
    return administrator.run(words);
  }

  private static @Nullable String previousUntil(String workspace, String id) {
    return administrator
        .json("endpoints", "show", workspace, id)
        .getString("previous_secret_until");
  }

  private static boolean isPausedAfter(String word, String workspace, String id) {
    return administrator.json("endpoints", word, workspace, id).getBoolean("paused");
  }
}
