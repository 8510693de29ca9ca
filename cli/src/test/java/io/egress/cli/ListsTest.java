package io.egress.cli;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;

import com.sun.net.httpserver.HttpExchange;
import com.sun.net.httpserver.HttpServer;
import io.vertx.core.json.JsonArray;
import io.vertx.core.json.JsonObject;
import java.io.IOException;
import java.io.PrintWriter;
import java.io.StringWriter;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Clock;
import java.time.Instant;
import java.time.ZoneOffset;
import java.time.temporal.ChronoUnit;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeSet;
import java.util.stream.Stream;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;
import picocli.CommandLine;

/** What lists print of the longest values, from a stand-in of the internal API. */
class ListsTest {
  private static final String ID = "0e37df36-f698-11e6-8dd4-cb9ced3df976";

  /** Recent times are wider in tables than old ones. */
  @SuppressWarnings("TimeInStaticInitializer")
  private static final String TIME = Instant.now().truncatedTo(ChronoUnit.MICROS).toString();

  private static final String LONG_AGO = "2024-11-24T21:30:00.123456Z";
  private static final String LONG = "会議 about a very long subject 😀 ".repeat(40);
  private static final long MANY = 9_999_999_999L;
  private static final String FAILURE = "answered 511 Network Authentication Required";

  private static final JsonObject ENDPOINT =
      new JsonObject()
          .put("id", ID)
          .put("endpoint_id", ID)
          .put("url", "https://" + "receiver.".repeat(25) + "example:8443/" + LONG)
          .put("description", LONG)
          .put("health", "down")
          .put("attempts", 20)
          .put("succeeded", 0)
          .put("failing_since", LONG_AGO)
          .put("last_success_at", TIME)
          .put("last_failure_at", TIME)
          .put("last_failure", FAILURE)
          .put("last_outcome", "dns")
          .put("undelivered", MANY)
          .put("created_at", TIME);

  private static final JsonObject DELIVERY =
      new JsonObject()
          .put("id", ID)
          .put("capture_id", ID)
          .put("endpoint_id", ID)
          .put("replay_id", ID)
          .put("title", LONG)
          .put("endpoint_url", ENDPOINT.getString("url"))
          .put("endpoint_description", LONG)
          .put("last_failure", "no answer within 15 s")
          .put("last_outcome", "blocked_address")
          .put("origin", "full_history")
          .put("state", "exhausted")
          .put("attempts", 7)
          .put("owed_at", TIME)
          .put("updated_at", TIME);

  private static final JsonObject REPLAY =
      new JsonObject()
          .put("id", ID)
          .put("endpoint_id", ID)
          .put("origin", "replay")
          .put("only", "undelivered")
          .put("state", "published")
          .put("from_position", MANY)
          .put("to_position", MANY)
          .put("next_position", MANY)
          .put("published", MANY)
          .put("created_at", TIME)
          .put("deliveries", counts("delivered", "pending", "exhausted", "skipped"));

  private static final JsonObject WORKSPACE =
      counts("captures", "captures_last_hour", "pending", "undelivered")
          .put("id", ID)
          .put("name", LONG)
          .put("newest_at", TIME)
          .put("effective_retention", "36500d")
          .put("legal_hold", false)
          .put("endpoints", counts("all", "down", "failing", "paused", "healthy", "untried"))
          .put("problems", new JsonArray().add(ENDPOINT));

  private static final JsonObject PLACE =
      new JsonObject()
          .put("state", "reading")
          .put("position", MANY)
          .put("behind", MANY)
          .put("oldest_at", LONG_AGO);

  /** Commands that list what nobody refers to. */
  private static final Set<String> WITHOUT_IDS = Set.of("import", "readers", "secrets", "sessions");

  private static final JsonObject CAPTURE =
      new JsonObject()
          .put("id", ID)
          .put("workspace_id", ID)
          .put("title", LONG)
          .put("state", "in_stream")
          .put("members", new JsonArray().add(LONG).add(LONG))
          .put("device", LONG)
          .put("mode", "ambient")
          .put("entered_at", TIME)
          .put(
              "endpoints",
              new JsonArray()
                  .add(ENDPOINT.copy().put("deliveries", new JsonArray().add(DELIVERY))));

  private static final JsonObject KEY =
      new JsonObject()
          .put("id", ID)
          .put("name", LONG)
          .put("last_four", "abcd")
          .put("created_by", LONG)
          .put("created_at", TIME)
          .put("last_used_at", TIME)
          .put("expires_at", TIME);

  private static final JsonObject ENTRY =
      new JsonObject()
          .put("at", TIME)
          .put("actor", LONG)
          .put("via", "operator")
          .put("remote_address", "2001:0db8:85a3:0000:0000:8a2e:0370:7334")
          .put("action", "endpoint.previous_secret_ended")
          .put("thing_id", ID)
          .put("changes", new JsonObject().put("description", LONG));

  private static final JsonObject SESSION =
      new JsonObject()
          .put("pid", 4_194_304)
          .put("transaction_since", TIME)
          .put("state", "idle in transaction (aborted)")
          .put("waits_for", LONG)
          .put("blocked_by", new JsonArray().add(4_194_304).add(4_194_303))
          .put("application", LONG)
          .put("query", LONG);

  private static final JsonObject STANDBY =
      new JsonObject()
          .put("application", LONG)
          .put("address", "2001:0db8:85a3:0000:0000:8a2e:0370:7334")
          .put("state", "streaming")
          .put("sync_state", "potential")
          .put("replay_lag_seconds", MANY)
          .put("bytes_behind", MANY);

  /** Answers by the end of the path. */
  private static final Map<String, JsonObject> ANSWERS =
      Map.ofEntries(
          list("/workspaces", "workspaces", WORKSPACE),
          list("/captures", "captures", CAPTURE),
          list("/endpoints", "endpoints", ENDPOINT),
          list("/deliveries", "deliveries", DELIVERY),
          list("/replays", "replays", REPLAY),
          list("/api-keys", "api_keys", KEY),
          list(
              "/pages",
              "pages",
              new JsonObject()
                  .put("id", ID)
                  .put("updated_at", TIME)
                  .put("event", "captures.page")
                  .put("state", "delivered")
                  .put("documents", 100)
                  .put("last_position", MANY)
                  .put("attempts", 32_767)),
          list("/audit", "entries", ENTRY),
          list(
              "/secret-keys",
              "secret_keys",
              counts("secrets").put("id", "0123456789abcdef").put("current", false)),
          list(
              "/readers",
              "readers",
              new JsonObject()
                  .put("key_id", ID)
                  .put("name", LONG)
                  .put("last_four", "abcd")
                  .put("last_used_at", TIME)
                  .put("captures", PLACE)
                  .put("changes", PLACE)),
          list(
              "/portal-sessions",
              "portal_sessions",
              new JsonObject()
                  .put("role", "admin")
                  .put("actor", "ada.lovelace@analytical-engines.example.com")
                  .put("remote_address", "2001:db8:85a3:1234:5678:8a2e:0370:7334")
                  .put("created_at", "2024-11-24T20:18:59.123Z")
                  .put("last_used_at", "2024-11-24T20:18:59.123Z")
                  .put("expires_at", "2024-11-25T04:18:59.123Z")),
          Map.entry("/captures/" + ID, CAPTURE),
          Map.entry(
              "/copies",
              new JsonObject()
                  .put("untold", 0)
                  .put(
                      "keys",
                      new JsonArray()
                          .add(
                              KEY.copy()
                                  .put("key_id", ID)
                                  .put("sent", "possibly")
                                  .put("reads_by_id", true)
                                  .put("told", false)))
                  .put(
                      "endpoints",
                      new JsonArray()
                          .add(
                              ENDPOINT
                                  .copy()
                                  .put("sent", "possibly")
                                  .put("day", "2026-09-01")
                                  .put("delivered_at", LONG_AGO)
                                  .put("told", true)))),
          Map.entry(
              "/deliveries/" + ID,
              DELIVERY
                  .copy()
                  .put(
                      "attempt_log",
                      new JsonArray()
                          .add(
                              new JsonObject()
                                  .put("attempt", 7)
                                  .put("started_at", TIME)
                                  .put("duration_ms", 300_000)
                                  .put("outcome", "blocked_address")
                                  .put("status", 503)
                                  .put("detail", LONG)
                                  .put("answer_headers", new JsonArray())))
                  .put("redeliveries", new JsonArray().add(DELIVERY))),
          Map.entry(
              "/verification",
              counts(
                      "delivered",
                      "pending",
                      "exhausted",
                      "skipped",
                      "erased",
                      "missing",
                      "missing_replays",
                      "forgotten",
                      "replayable")
                  .put("missing_capture_ids", new JsonArray())),
          Map.entry(
              "/database",
              new JsonObject()
                  .put(
                      "server",
                      new JsonObject()
                          .put("version", "18.1")
                          .put("in_recovery", false)
                          .put("read_only", false))
                  .put("connections", counts("used", "max"))
                  .put("sessions", new JsonArray().add(SESSION))
                  .put("standbys", new JsonArray().add(STANDBY))));

  private static HttpServer server;

  @TempDir private static Path folder;

  @BeforeAll
  static void start() throws IOException {
    server = HttpServer.create(new InetSocketAddress(InetAddress.getLoopbackAddress(), 0), 0);
    server.createContext("/", ListsTest::answer);
    server.start();
  }

  @AfterAll
  static void stop() {
    server.stop(0);
  }

  /** A caption of a name that is far too long. */
  private static Path captions() throws IOException {
    Path file = folder.resolve("conversation-".repeat(15) + ".vtt");
    return Files.writeString(file, "WEBVTT\n\n00:01.000 --> 00:02.000\nHello.\n");
  }

  static List<String> lists() throws IOException {
    return List.of(
        "import --workspace " + ID + " --dry-run " + captions(),
        "workspaces list",
        "workspaces list --failing",
        "captures list " + ID,
        "captures copies " + ID,
        "keys list " + ID,
        "endpoints list " + ID,
        "endpoints pages " + ID + " " + ID,
        "deliveries list " + ID,
        "deliveries list " + ID + " --endpoint " + ID,
        "replays list " + ID + " " + ID,
        "replays start-all " + ID,
        "verify " + ID,
        "secrets list",
        "secrets reseal",
        "sessions list " + ID,
        "readers list " + ID,
        "audit list " + ID);
  }

  /** A detail is a table below lines of any width. */
  static List<String> details() {
    return List.of("captures show " + ID, "deliveries show " + ID + " " + ID, "database");
  }

  static Stream<String> tables() throws IOException {
    return Stream.concat(lists().stream(), details().stream());
  }

  @ParameterizedTest
  @MethodSource("lists")
  void fitATerminal(String line) {
    String printed = run(line);

    assertThat(printed.lines())
        .as(printed)
        .hasSizeGreaterThan(1)
        .allMatch(each -> DisplayWidth.of(each) <= TextTable.WIDTH_MAX);
    assertThat(printed).doesNotContain(ID.substring(0, 35) + "…");
    if (!WITHOUT_IDS.contains(line.split(" ", -1)[0])) {
      assertThat(printed).contains(ID);
    }
  }

  @ParameterizedTest
  @MethodSource("details")
  void fitATerminalBelowTheirFields(String line) {
    String printed = run(line);

    assertThat(printed.substring(printed.indexOf("\n\n")).lines())
        .as(printed)
        .hasSizeGreaterThan(3)
        .filteredOn(each -> !each.startsWith("attempt 7:"))
        .allMatch(each -> DisplayWidth.of(each) <= TextTable.WIDTH_MAX);
  }

  @Test
  void areAllHere() throws IOException {
    Set<String> wide = new TreeSet<>();
    for (CommandLine command : CommandsTest.all(root())) {
      if (command.getCommandSpec().findOption("--wide") != null) {
        wide.add(command.getCommandSpec().qualifiedName().substring("egress ".length()));
      }
    }
    assertThat(tables().map(line -> line.replaceFirst(" (--.*|" + ID + ".*)", "")))
        .containsOnlyOnceElementsOf(wide.stream().filter(each -> !each.endsWith(" list")).toList())
        .containsAll(wide);
  }

  @ParameterizedTest
  @MethodSource("tables")
  void areWholeWithWide(String line) {
    String printed = run(line + " --wide");

    assertThat(printed).doesNotContain("…");
    if (printed.contains("会議")) {
      assertThat(printed).contains(LONG.stripTrailing());
    }
  }

  @Test
  void nameAndExplain() {
    assertThat(run("endpoints list " + ID).lines().skip(1))
        .allSatisfy(
            row -> assertThat(row).containsPattern("会議.* +down since 2024-11-24, answ.*" + ID));
    assertThat(run("deliveries list " + ID).lines().skip(1))
        .allSatisfy(row ->
            assertThat(row)
                .matches(
                    "(\\d\\d-\\d\\d )?\\d\\d:\\d\\d +exhausted \\(7\\) +no answer ?…? +会議.*… +会議.*… +"
                        + ID));
    assertThat(run("captures show " + ID))
        .containsPattern("会議.*… +exhausted \\(7\\) +address.* " + ID);
    assertThat(run("verify " + ID, 4)).containsPattern("会議.*… +9999999999 missing,.* " + ID);
  }

  @Test
  void timesAreShort() {
    TableTimes times =
        new TableTimes(Clock.fixed(Instant.parse("2026-11-24T21:30:00Z"), ZoneOffset.UTC));

    assertThat(times.of("2026-11-24T20:18:59.123Z")).isEqualTo("20:18");
    assertThat(times.of("2026-11-24T00:00:00Z")).isEqualTo("00:00");
    assertThat(times.of("2026-11-23T23:59:59Z")).isEqualTo("11-23 23:59");
    assertThat(times.of("2025-11-24T20:18:59Z")).isEqualTo("2025-11-24");
    assertThat(times.of("never")).isEqualTo("never");
  }

  /** The table is for people; programs read the JSON. */
  @Test
  void leaveJsonAsItIs() {
    assertThat(new JsonObject(run("endpoints list " + ID + " --json")))
        .isEqualTo(new JsonObject().put("endpoints", new JsonArray().add(ENDPOINT).add(ENDPOINT)));
    assertThat(
            new JsonObject(run("deliveries list " + ID + " --json"))
                .getJsonArray("deliveries")
                .getJsonObject(0))
        .isEqualTo(DELIVERY);
  }

  private static String run(String line) {
    return run(line, line.startsWith("verify") ? 4 : 0);
  }

  private static String run(String line, int status) {
    StringWriter printed = new StringWriter();
    PrintWriter out = new PrintWriter(printed);
    CommandLine root = root().setOut(out).setErr(out);
    String all = line + " --port " + server.getAddress().getPort();
    assertThat(Program.execute(root, all.split(" "))).as(printed::toString).isEqualTo(status);
    return printed.toString();
  }

  private static CommandLine root() {
    return AdministrationProgram.make().whole(Map.of("EGRESS_INTERNAL_TOKEN", "any"));
  }

  private static Map.Entry<String, JsonObject> list(String path, String field, JsonObject entry) {
    return Map.entry(
        path,
        new JsonObject()
            .put(field, new JsonArray().add(entry).add(entry))
            .put("pageInfo", new JsonObject().put("hasNextPage", false)));
  }

  private static JsonObject counts(String... names) {
    JsonObject counts = new JsonObject();
    Stream.of(names).forEach(name -> counts.put(name, MANY));
    return counts;
  }

  private static void answer(HttpExchange exchange) throws IOException {
    String path = exchange.getRequestURI().getPath();
    JsonObject found =
        ANSWERS.entrySet().stream()
            .filter(each -> path.endsWith(each.getKey()))
            .map(Map.Entry::getValue)
            .findFirst()
            .orElseGet(() -> path.endsWith("/reseal") ? ANSWERS.get("/secret-keys") : ENDPOINT);
    byte[] body = found.encode().getBytes(UTF_8);
    exchange.sendResponseHeaders(200, body.length);
    exchange.getResponseBody().write(body);
    exchange.close();
  }
}
