package io.egress.acceptance;

import static io.egress.acceptance.Snippets.block;
import static io.egress.acceptance.Snippets.connectorCommands;
import static io.egress.acceptance.Snippets.has;
import static io.egress.acceptance.Snippets.page;
import static java.util.Objects.requireNonNull;
import static java.util.stream.Collectors.toMap;
import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import io.egress.acceptance.FlakyProxy.Mood;
import io.vertx.core.json.JsonArray;
import io.vertx.core.json.JsonObject;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.time.Instant;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Set;
import java.util.TreeMap;
import java.util.UUID;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;
import java.util.stream.Stream;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.CleanupMode;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.api.parallel.Execution;
import org.junit.jupiter.api.parallel.ExecutionMode;

/** Runs the ETL tools of docs/connectors by the commands of its page. */
@Tag("long")
@Execution(ExecutionMode.CONCURRENT)
class EtlTest {
  private static final int THREE_PAGES = 230;
  private static final int TWO_PAGES = 120;
  private static final String ALWAYS_NULL = "calendar_event";
  private static final Duration PATIENCE = Duration.ofMinutes(2);

  private static BothRoles api;

  private final UUID workspace = UUID.randomUUID();
  private final Path folder;
  private FlakyProxy proxy;

  EtlTest(@TempDir(cleanup = CleanupMode.ON_SUCCESS) Path folder) {
    this.folder = folder;
  }

  @BeforeAll
  static void start() {
    api = BothRoles.apiAlone(BothRoles.environment());
  }

  @AfterAll
  static void stop() {
    api.close();
  }

  @BeforeEach
  void startProxy() throws IOException {
    proxy = new FlakyProxy(api.publicUrl(""), Mood.AWAY, Mood.FINE, Mood.BUSY);
  }

  @AfterEach
  void closeProxy() {
    proxy.close();
  }

  @Test
  void dltLoadsNewCaptures() throws Exception {
    Map<String, String> environment = environment("dlt[duckdb]==1.31.0");
    place("dlt_transcripts.py");
    String commands = connectorCommands("pip install 'dlt");

    Set<String> all = api.finish(workspace, THREE_PAGES);
    run(environment, commands);
    assertThat(loaded(environment)).containsExactlyInAnyOrderElementsOf(all);
    assertThat(filesOfLoads()).as("have texts that may be erased").isEmpty();

    run(environment, commands);
    assertThat(loaded(environment)).as("nothing is new").hasSize(THREE_PAGES);

    all.addAll(api.finish(workspace, TWO_PAGES));
    run(environment, commands);
    assertThat(loaded(environment)).containsExactlyInAnyOrderElementsOf(all);
  }

  @Test
  void dltKeepsItsCopyCurrent() throws Exception {
    Map<String, String> environment = environment("dlt[duckdb]==1.31.0");
    place("dlt_transcripts.py");
    String commands = connectorCommands("pip install 'dlt");
    Set<String> all = api.finish(workspace, TWO_PAGES);
    run(environment, commands);
    all.addAll(api.finish(workspace, 2));
    String erased = api.change(workspace, all);
    run(environment, commands);

    Map<String, JsonObject> now = now(all);
    now.values().forEach(document -> document.remove(ALWAYS_NULL));
    assertThat(rebuilt(environment)).isEqualTo(now).doesNotContainKey(erased);
    String orphans =
        """
        import duckdb
        db = duckdb.connect("transcripts.duckdb")
        for child in ("segments", "participants"):
            print(db.execute(f"select count(*) from conversations.captures__{child}"
                " where _dlt_root_id not in (select _dlt_id from conversations.captures)").fetchone()[0])
        """;
    assertThat(python(environment, orphans).lines()).containsExactly("0", "0");

    run(environment, commands);
    assertThat(rebuilt(environment)).as("nothing is new").isEqualTo(now);
  }

  /** A capture that changes again while the changes are being read is in them twice. */
  @Test
  void dltTakesTheNewestOfTheChangesThatItReads() throws Exception {
    Map<String, String> environment = environment("dlt[duckdb]==1.31.0");
    place("dlt_transcripts.py");
    Set<String> all = api.finish(workspace, TWO_PAGES);
    api.change(workspace, all);
    List<String> corrected = all.stream().skip(1).limit(20).toList();
    try (FlakyProxy fine = new FlakyProxy(api.publicUrl(""))) {
      fine.beforeRequest(
          4,
          () -> {
            corrected.forEach(
                id -> api.call("PUT", "/captures/" + id, BothRoles.capture(workspace)));
            api.call(
                "DELETE",
                "/captures/" + corrected.getLast(),
                new JsonObject().put("reason", "requested"));
          });
      environment.put("BASE_URL", fine.url());
      run(environment, "python3 dlt_transcripts.py");
    }
    Map<String, JsonObject> now = now(all);
    now.values().forEach(document -> document.remove(ALWAYS_NULL));
    assertThat(rebuilt(environment)).isEqualTo(now);
  }

  @Test
  void dltLosesNothingWhenItIsKilled() throws Exception {
    Map<String, String> environment = environment("dlt[duckdb]==1.31.0");
    place("dlt_transcripts.py");
    Set<String> all = api.finish(workspace, THREE_PAGES);
    try (FlakyProxy silent = new FlakyProxy(api.publicUrl(""), Mood.FINE, Mood.SILENT)) {
      environment.put("BASE_URL", silent.url());
      ProcessBuilder dlt =
          new ProcessBuilder("bash", "-euc", "exec python3 dlt_transcripts.py")
              .directory(folder.toFile())
              .redirectErrorStream(true)
              .redirectOutput(folder.resolve("killed.txt").toFile());
      dlt.environment().putAll(environment);
      Process killed = dlt.start();
      await().atMost(PATIENCE).until(() -> silent.queries().size() == 2);
      killed.destroyForcibly().waitFor();

      run(environment, connectorCommands("pip install 'dlt"));
      assertThat(loaded(environment)).containsExactlyInAnyOrderElementsOf(all);
    }
  }

  @Test
  void dltWaitsForACapture() throws Exception {
    Map<String, String> environment = environment("dlt[duckdb]==1.31.0");
    place("dlt_transcripts.py");
    environment.put("WAIT", "30");
    try (FlakyProxy fine = new FlakyProxy(api.publicUrl(""))) {
      environment.put("BASE_URL", fine.url());
      CompletableFuture<String> loading =
          CompletableFuture.supplyAsync(() -> {
            try {
              return run(environment, "python3 dlt_transcripts.py");
            } catch (Exception failure) {
              throw new CompletionException(failure);
            }
          });
      await().atMost(PATIENCE).until(() -> !fine.queries().isEmpty());
      Set<String> finished = api.finish(workspace, 2);
      loading.get();
      assertThat(loaded(environment)).isNotEmpty().isSubsetOf(finished);
    }
  }

  @Test
  void duckDbAndPandasReadTheFirstLoad() throws Exception {
    Map<String, String> environment = environment(PythonPackages.DUCKDB_AND_PANDAS);
    place("first_load.py");
    Set<String> all = api.finish(workspace, THREE_PAGES);
    run(environment, "python3 first_load.py");

    String python = environment.get("VIRTUAL_ENV") + "/bin/python3";
    String page = page("docs/consuming.md");
    assertThat(Snippets.run(folder, environment, python, "-c", block(page, "import duckdb")))
        .startsWith("(" + THREE_PAGES + ", ");
    String ids = "\nfor id in db.execute('select id from captures').fetchall(): print(id[0])";
    assertThat(
            Snippets.run(folder, environment, python, "-c", block(page, "import duckdb") + ids)
                .lines()
                .skip(1))
        .containsExactlyInAnyOrderElementsOf(all);
    assertThat(
            Snippets.run(
                    folder,
                    environment,
                    python,
                    "-c",
                    block(page, "import pandas") + "\nfor id in captures.index: print(id)")
                .lines()
                .filter(all::contains))
        .hasSize(THREE_PAGES);
  }

  @Test
  void singerTapEmitsNewCaptures() throws Exception {
    Map<String, String> environment = environment("singer-sdk==0.54.9");
    place("tap_transcripts.py");
    String commands = connectorCommands("pip install singer-sdk");

    Set<String> history = api.finish(workspace, THREE_PAGES);
    run(environment, commands);
    List<JsonObject> messages = messages(folder.resolve("captures.jsonl"));
    assertThat(tapped(messages)).containsExactlyInAnyOrderElementsOf(history);

    storeState(messages);
    Set<String> later = api.finish(workspace, TWO_PAGES);
    run(environment, commands.replace("--config", "--state state.json --config"));
    assertThat(tapped(messages(folder.resolve("captures.jsonl"))))
        .containsExactlyInAnyOrderElementsOf(later);
  }

  @Test
  void singerTapEmitsChangesForAnUpsert() throws Exception {
    Map<String, String> environment = environment("singer-sdk==0.54.9");
    place("tap_transcripts.py");
    String commands = connectorCommands("pip install singer-sdk");
    Set<String> all = api.finish(workspace, TWO_PAGES);
    run(environment, commands);
    List<JsonObject> messages = messages(folder.resolve("captures.jsonl"));
    Map<String, JsonObject> target = new TreeMap<>();
    upsert(messages, target);
    storeState(messages);
    all.addAll(api.finish(workspace, 2));
    String erased = api.change(workspace, all);
    run(environment, commands.replace("--config", "--state state.json --config"));
    messages = messages(folder.resolve("captures.jsonl"));
    upsert(messages, target);

    JsonObject tombstone = requireNonNull(target.remove(erased));
    assertThat(Instant.parse(tombstone.getString("_sdc_deleted_at"))).isBefore(Instant.now());
    tombstone.remove("_sdc_deleted_at");
    assertThat(tombstone.stream().filter(field -> field.getValue() != null).map(Map.Entry::getKey))
        .containsExactly("id");
    target.values().forEach(BothRoles::withoutTime);
    assertThat(target).isEqualTo(now(all));

    storeState(messages);
    run(environment, commands.replace("--config", "--state state.json --config"));
    assertThat(tapped(messages(folder.resolve("captures.jsonl")))).as("nothing is new").isEmpty();
  }

  private static void upsert(List<JsonObject> messages, Map<String, JsonObject> target) {
    messages.stream()
        .filter(message -> message.getString("type").equals("RECORD"))
        .map(message -> message.getJsonObject("record"))
        .forEach(record -> target.put(record.getString("id"), record));
  }

  private void storeState(List<JsonObject> messages) throws IOException {
    JsonObject state = messages.getLast();
    assertThat(state.getString("type")).isEqualTo("STATE");
    Files.writeString(folder.resolve("state.json"), state.getJsonObject("value").encode());
  }

  @Test
  void airbyteReadsEverything() throws Exception {
    Map<String, String> environment = environment("airbyte-cdk==7.39.1");
    place("airbyte.yaml");

    Set<String> history = api.finish(workspace, THREE_PAGES);
    assertThat(run(environment, connectorCommands("pip install airbyte-cdk")))
        .contains("\"status\":\"SUCCEEDED\"", "\"name\":\"captures\"");

    Files.writeString(folder.resolve("catalog.json"), configuredCatalog().encode());
    assertThat(synced(environment).keySet()).isEqualTo(history);

    String erased = api.change(workspace, history);
    Map<String, JsonObject> now = now(history);
    now.values().forEach(document -> document.getMap().values().removeIf(Objects::isNull));
    assertThat(synced(environment))
        .as("the tool omits nulls")
        .isEqualTo(now)
        .doesNotContainKey(erased);
  }

  private Map<String, JsonObject> synced(Map<String, String> environment) throws Exception {
    String read =
        run(
            environment,
            "source-declarative-manifest read --manifest-path airbyte.yaml --config config.json"
                + " --catalog catalog.json");
    return read.lines()
        .map(JsonObject::new)
        .filter(message -> message.getString("type").equals("RECORD"))
        .map(message -> message.getJsonObject("record").getJsonObject("data"))
        .collect(toMap(document -> document.getString("id"), BothRoles::withoutTime));
  }

  private Map<String, String> environment(String... requirements) throws Exception {
    assumeTrue(has("bash"), "bash is not here");
    String name = requirements[0].replaceAll("[^a-z].*", "");
    Map<String, String> environment =
        new HashMap<>(PythonPackages.install(name, requirements).path());
    environment.put("HOME", folder.toString());
    environment.put("BASE_URL", proxy.url());
    environment.put("API_KEY", api.mintKey(workspace));
    environment.put("RUNTIME__DLTHUB_TELEMETRY", "false");
    environment.put("DLT_DATA_DIR", folder.resolve("dlt").toString());
    return environment;
  }

  private void place(String file) throws IOException {
    Files.copy(Path.of("..", "..", "docs", "connectors", file), folder.resolve(file));
  }

  private String run(Map<String, String> environment, String commands) throws Exception {
    return Snippets.run(folder, environment, "bash", "-euc", commands);
  }

  private List<Path> filesOfLoads() throws IOException {
    try (Stream<Path> files = Files.walk(folder.resolve("dlt"))) {
      return files.filter(file -> file.toString().endsWith(".gz")).toList();
    }
  }

  private List<String> loaded(Map<String, String> environment) throws Exception {
    String ids =
        "import duckdb\nfor (id,) in duckdb.connect('transcripts.duckdb').execute("
            + "'select id from conversations.captures').fetchall(): print(id)";
    return python(environment, ids).lines().toList();
  }

  /** The documents that dlt has distributed to tables, without the time of the request. */
  private Map<String, JsonObject> rebuilt(Map<String, String> environment) throws Exception {
    String program =
        """
        import duckdb, json
        from datetime import timezone

        db = duckdb.connect("transcripts.duckdb")

        def rows(table, order):
            found = db.execute(f"select * from conversations.{table} order by {order}")
            names = [column[0] for column in found.description]
            return [dict(zip(names, row)) for row in found.fetchall()]

        def instant(value):
            return value and value.astimezone(timezone.utc).strftime("%Y-%m-%dT%H:%M:%S.%f")[:-3] + "Z"

        def children(table, root, fields):
            return [{field: row.get(field) for field in fields}
                for row in rows(table, "_dlt_list_idx") if row["_dlt_root_id"] == root]

        for row in rows("captures", "id"):
            document = {field: row.get(field)
                for field in ("id", "workspace_id", "mode", "title", "summary", "duration_ms", "transcript_text")}
            document["started_at"] = instant(row["started_at"])
            document["ended_at"] = instant(row["ended_at"])
            document["device"] = {"id": row["device__id"], "name": row["device__name"]}
            document["participants"] = children("captures__participants", row["_dlt_id"],
                ("label", "name", "email", "matched", "match_confidence", "speech_ms"))
            document["segments"] = children("captures__segments", row["_dlt_id"],
                ("start_ms", "end_ms", "speaker", "text"))
            print(json.dumps(document))
        """;
    return python(environment, program)
        .lines()
        .map(JsonObject::new)
        .collect(toMap(document -> document.getString("id"), document -> document));
  }

  private String python(Map<String, String> environment, String program) throws Exception {
    String python = environment.get("VIRTUAL_ENV") + "/bin/python3";
    return Snippets.run(folder, environment, python, "-c", program);
  }

  private Map<String, JsonObject> now(Set<String> ids) {
    return api.documents(api.mintKey(workspace), ids);
  }

  private static List<JsonObject> messages(Path file) throws IOException {
    try (Stream<String> lines = Files.lines(file)) {
      return lines.map(JsonObject::new).toList();
    }
  }

  private static List<String> tapped(List<JsonObject> messages) {
    return messages.stream()
        .filter(message -> message.getString("type").equals("RECORD"))
        .map(message -> message.getJsonObject("record").getString("id"))
        .toList();
  }

  private static JsonObject configuredCatalog() {
    JsonObject stream =
        new JsonObject()
            .put("name", "captures")
            .put("json_schema", new JsonObject())
            .put("supported_sync_modes", new JsonArray().add("full_refresh"));
    return new JsonObject()
        .put(
            "streams",
            new JsonArray()
                .add(
                    new JsonObject()
                        .put("stream", stream)
                        .put("sync_mode", "full_refresh")
                        .put("destination_sync_mode", "overwrite")));
  }
}
