package io.egress.acceptance;

import static io.egress.acceptance.Snippets.block;
import static io.egress.acceptance.Snippets.connectorCommands;
import static io.egress.acceptance.Snippets.page;
import static java.nio.charset.StandardCharsets.ISO_8859_1;
import static java.nio.charset.StandardCharsets.UTF_8;
import static java.util.Objects.requireNonNull;
import static java.util.Objects.requireNonNullElse;
import static java.util.stream.Collectors.joining;
import static java.util.stream.Collectors.toMap;
import static org.assertj.core.api.Assertions.assertThat;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import io.egress.acceptance.FlakyProxy.Mood;
import io.vertx.core.json.JsonObject;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.UUID;
import java.util.function.Predicate;
import java.util.stream.Stream;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.CleanupMode;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.api.parallel.Execution;
import org.junit.jupiter.api.parallel.ExecutionMode;

/**
 * Runs the connectors of docs/connectors with their tools, by the commands of its page: after a
 * member was renamed and a capture erased, the copy is as the workspace is.
 */
@Tag("full")
@Execution(ExecutionMode.CONCURRENT)
class ConnectorsTest {
  private static final Path CONNECTORS = Path.of("..", "..", "docs", "connectors").toAbsolutePath();
  private static final String FIVETRAN = "EGRESS_TEST_FIVETRAN";
  private static final String FORMER_NAME = "Ada Fischer";
  private static final String NEW_NAME = "Ada O'Neill-Ünal";
  private static final String QUESTION = "What did we decide about the move?";
  private static final String MCP = "mcp==2.3.0";
  private static final int TWO_PAGES = 120;

  private static BothRoles api;

  private final UUID workspace = UUID.randomUUID();
  private final String key;
  private final FlakyProxy proxy;
  private final Map<String, String> environment = new HashMap<>();
  private final Path folder;

  ConnectorsTest(@TempDir(cleanup = CleanupMode.ON_SUCCESS) Path folder) throws IOException {
    this.folder = folder;
    key = api.mintKey(workspace);
    proxy = new FlakyProxy(api.publicUrl(""), Mood.AWAY, Mood.FINE, Mood.BUSY);
    environment.put("HOME", folder.toString());
    environment.put("BASE_URL", proxy.url());
    environment.put("API_KEY", key);
  }

  @BeforeAll
  static void start() {
    api = BothRoles.apiAlone(BothRoles.environment());
  }

  @AfterAll
  static void stop() {
    api.close();
  }

  @AfterEach
  void closeProxy() {
    proxy.close();
  }

  @Tag("long") // Minutes of installing packages, and rarely fails.
  @Test
  void fivetranKeepsItsTableCurrent() throws Exception {
    assumeTrue(
        "install".equals(System.getenv(FIVETRAN)),
        FIVETRAN + "=install runs this one, and accepts the license of Fivetran's local tester");
    // One dependency has no wheel.
    install("fivetran", "fivetran-connector-sdk==3.0.0", "--no-binary=docopt");
    environment.put("DO_NOT_TRACK", "1");
    place("fivetran/connector.py");
    String commands = connectorCommands("pip install fivetran-connector-sdk");

    Set<String> all = api.finish(workspace, TWO_PAGES);
    run(commands);
    assertThat(rows()).isEqualTo(now(all));

    all.addAll(api.finish(workspace, 2));
    String erased = api.change(workspace, all);
    run(commands);
    Map<String, JsonObject> rows = rows();
    JsonObject deleted = requireNonNull(rows.remove(erased));
    assertThat(deleted.stream().filter(field -> field.getValue() != null).map(Map.Entry::getKey))
        .containsExactlyInAnyOrder("id", "_fivetran_deleted");
    assertThat(rows).isEqualTo(now(all));
    assertThat(rows.toString()).contains(NEW_NAME).doesNotContain(FORMER_NAME);

    assertThat(run(commands)).as("nothing is new").containsPattern("Upserts +\\| 0 ");
  }

  private Map<String, JsonObject> rows() throws Exception {
    String program =
        """
        import duckdb
        instants = ", ".join(
            f"strftime({field} at time zone 'UTC', '%Y-%m-%dT%H:%M:%S.%gZ') as {field}"
            for field in ("started_at", "ended_at"))
        for (row,) in duckdb.connect("files/warehouse.db").execute(
            f"select to_json(c) from (select * exclude (_fivetran_synced, emitted_at)"
            f" replace ({instants}) from tester.captures) c").fetchall():
          print(row)
        """;
    Map<String, JsonObject> rows =
        python("-c", program)
            .lines()
            .map(JsonObject::new)
            .collect(toMap(row -> row.getString("id"), row -> row));
    rows.values().forEach(row -> row.getMap().remove("_fivetran_deleted", false));
    return rows;
  }

  @Tag("long") // Minutes of installing packages, and rarely fails.
  @Test
  void llamaIndexKeepsItsIndexCurrent() throws Exception {
    installAgents();
    place("llamaindex_transcripts.py");
    String commands = connectorCommands("pip install llama-index-core");

    new Searched(commands, "transcripts-index.json") {
      @Override
      Map<String, String> stored(JsonObject index) {
        JsonObject storage = index.getJsonObject("storage");
        JsonObject chunks = storage.getJsonObject("doc_store").getJsonObject("docstore/data");
        JsonObject vectors = storage.getJsonObject("vector_store").getJsonObject("default");
        assertThat(vectors.getJsonObject("embedding_dict").fieldNames())
            .isEqualTo(chunks.fieldNames());
        JsonObject captures = vectors.getJsonObject("text_id_to_ref_doc_id");
        return chunks.stream()
            .collect(
                toMap(
                    chunk -> captures.getString(chunk.getKey()),
                    chunk ->
                        ((JsonObject) chunk.getValue())
                            .getJsonObject("__data__")
                            .getString("text")));
      }

      @Override
      String text(JsonObject document) {
        return document.getString("transcript_text");
      }
    }.isKeptCurrent();

    String reader = block(page("docs/connectors/README.md"), "import os\n\nfrom llamaindex");
    assertThat(python("-c", reader + "\nprint(len(documents))")).isEqualTo(TWO_PAGES + 1 + "\n");
  }

  @Tag("long") // Minutes of installing packages, and rarely fails.
  @Test
  void langChainKeepsItsStoreCurrent() throws Exception {
    installAgents();
    place("langchain_transcripts.py");
    String commands = connectorCommands("pip install langchain-core");

    new Searched(commands, "transcripts-store.json") {
      @Override
      Map<String, String> stored(JsonObject saved) {
        JsonObject store = saved.getJsonObject("store");
        assertThat(saved.getJsonObject("records").fieldNames()).isEqualTo(store.fieldNames());
        return store.fieldNames().stream()
            .map(store::getJsonObject)
            .filter(chunk -> chunk.getString("text").endsWith("\n")) // not title and summary
            .collect(
                toMap(
                    chunk -> chunk.getJsonObject("metadata").getString("capture"),
                    chunk -> chunk.getString("text")));
      }

      @Override
      String text(JsonObject document) {
        return document.getJsonArray("segments").stream()
            .map(JsonObject.class::cast)
            .map(segment -> {
              String speaker = segment.getString("speaker");
              return requireNonNullElse(speaker, "Unknown speaker")
                  + ": "
                  + segment.getString("text");
            })
            .collect(joining("\n", "", "\n"));
      }
    }.isKeptCurrent();

    String loader = block(page("docs/connectors/README.md"), "import os\n\nfrom langchain");
    String captures = "\nprint(len({chunk.metadata['capture'] for chunk in chunks}))";
    assertThat(python("-c", loader + captures)).isEqualTo(TWO_PAGES + 1 + "\n");
  }

  /** A store of vectors in a file. The samples are short enough for one chunk of text each. */
  private abstract class Searched {
    private final String commands;
    private final String file;

    Searched(String commands, String file) {
      this.commands = commands;
      this.file = file;
    }

    /** The chunks, by capture. */
    abstract Map<String, String> stored(JsonObject file);

    /** The chunk of a document. */
    abstract String text(JsonObject document);

    void isKeptCurrent() throws Exception {
      Set<String> all = api.finish(workspace, TWO_PAGES);
      String toErase = all.iterator().next();
      String words = requireNonNull(now(all).get(toErase)).getString("transcript_text");
      assertThat(ask(words)).contains(" " + toErase + " ");
      assertThat(stored(saved())).isEqualTo(texts(all));

      Set<String> later = api.finish(workspace, 2);
      assertThat(api.change(workspace, all)).isEqualTo(toErase);
      all.addAll(later);
      assertThat(ask(words)).isNotBlank().doesNotContain(toErase);
      assertThat(stored(saved())).isEqualTo(texts(all));
      assertThat(saved().encode()).contains(NEW_NAME).doesNotContain(toErase, FORMER_NAME);

      JsonObject before = saved();
      assertThat(ask("Corrected: hello").lines().findFirst().orElseThrow()).endsWith(" Corrected");
      assertThat(saved()).as("nothing is new").isEqualTo(before);
    }

    /** By the command of the page, which has a question of its own. */
    private String ask(String question) throws Exception {
      assertThat(commands).contains(QUESTION);
      return run(commands.replace(QUESTION, question));
    }

    private Map<String, String> texts(Set<String> ids) {
      return now(ids).entrySet().stream()
          .collect(toMap(Map.Entry::getKey, document -> text(document.getValue())));
    }

    private JsonObject saved() throws IOException {
      return new JsonObject(Files.readString(folder.resolve(file)));
    }
  }

  @Test
  void agentsFindWhatMirrorKeeps() throws Exception {
    // Without the agents' own libraries, whose installation takes longer than the rest.
    install("mcp", MCP);
    Set<String> all = api.finish(workspace, 5);
    List<String> ids = new ArrayList<>(all);
    JsonObject secret = BothRoles.capture(workspace).put("title", "会議");
    secret.getJsonArray("segments").getJsonObject(0).put("text", "A word like ЖЩЪ.");
    api.call("PUT", "/captures/" + ids.getFirst(), secret);
    mirror();

    try (Agent agent = new Agent(python(), environment, folder)) {
      assertThat(agent.tools()).containsExactlyInAnyOrder("search", "fetch", "list");
      assertThat(agent.search("жщъъ?")).isEmpty();
      assertThat(agent.search("жщъ, please")).containsExactly(ids.getFirst());
      assertThat(agent.search("会議")).containsExactly(ids.getFirst());
      assertThat(agent.search(FORMER_NAME)).hasSize(4);
      assertThat(agent.search("\" NEAR(")).isEmpty();
      assertThat(agent.list()).containsExactlyInAnyOrderElementsOf(ids);

      ids.addAll(api.finish(workspace, 1)); // before the name is changed, which it has, too
      assertThat(api.change(workspace, all)).isEqualTo(ids.removeFirst());
      mirror();

      assertThat(agent.search("ЖЩЪ")).isEmpty();
      assertThat(agent.search("会議")).isEmpty();
      assertThat(agent.search("Fischer")).isEmpty();
      assertThat(agent.search("O'Neill-Ünal")).hasSize(4);
      assertThat(agent.search("corrected")).containsExactly(ids.getFirst());
      assertThat(agent.list()).containsExactlyInAnyOrderElementsOf(ids);
      for (JsonObject document : now(Set.copyOf(ids)).values()) {
        JsonObject fetched = agent.fetch(document.getString("id"));
        for (String field : List.of("id", "title", "started_at", "ended_at", "summary")) {
          assertThat(fetched.getValue(field)).as(field).isEqualTo(document.getValue(field));
        }
        assertThat(fetched.getString("text")).isEqualTo(document.getString("transcript_text"));
      }
      assertThat(agent.fetch(all.iterator().next()).getString("error"))
          .endsWith("it may have been erased");
    }
    assertThat(Stream.of("Corrected", "ЖЩЪ", "жщъ", "Fischer").filter(bytesOfIndex()))
        .containsExactly("Corrected");
  }

  private Predicate<String> bytesOfIndex() throws IOException {
    byte[] bytes = Files.readAllBytes(folder.resolve("transcripts/.egress-mcp.db"));
    String index = new String(bytes, ISO_8859_1);
    return text -> index.contains(new String(text.getBytes(UTF_8), ISO_8859_1));
  }

  private void mirror() throws Exception {
    String to = folder.resolve("transcripts").toString();
    try (CommandLine mirror =
        CommandLine.start(
            Map.of("EGRESS_API_KEY", key),
            "mirror",
            "--base-url",
            api.publicUrl("").toString(),
            "--to",
            to)) {
      assertThat(mirror.awaitExit()).as(mirror.output()).isZero();
    }
  }

  private void installAgents() throws Exception {
    install("agents", "llama-index-core==0.14.25", "langchain-core==1.7.7");
  }

  private void install(String name, String... requirements) throws Exception {
    environment.putAll(PythonPackages.install(name, requirements).path());
  }

  private void place(String file) throws IOException {
    Path source = CONNECTORS.resolve(file);
    Files.copy(source, folder.resolve(source.getFileName()));
  }

  private String run(String commands) throws Exception {
    return Snippets.run(folder, environment, "bash", "-euc", commands);
  }

  private String python() {
    return environment.get("VIRTUAL_ENV") + "/bin/python3";
  }

  private String python(String... arguments) throws Exception {
    List<String> command = new ArrayList<>(List.of(python()));
    command.addAll(List.of(arguments));
    return Snippets.run(folder, environment, command.toArray(String[]::new));
  }

  /** The documents without what is always null, as the connectors have them. */
  private Map<String, JsonObject> now(Set<String> ids) {
    Map<String, JsonObject> documents = api.documents(key, ids);
    documents.values().forEach(document -> document.remove("calendar_event"));
    return documents;
  }
}
