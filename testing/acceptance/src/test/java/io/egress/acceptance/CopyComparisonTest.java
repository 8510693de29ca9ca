package io.egress.acceptance;

import static io.egress.acceptance.Snippets.block;
import static io.egress.acceptance.Snippets.has;
import static io.egress.acceptance.Snippets.page;
import static java.util.stream.Collectors.joining;
import static java.util.stream.Collectors.toMap;
import static org.assertj.core.api.Assertions.assertThat;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import io.egress.platform.database.Migrations;
import io.egress.testing.SharedBackends;
import io.vertx.core.json.JsonObject;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.UUID;
import java.util.concurrent.Callable;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.CleanupMode;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.api.parallel.Execution;
import org.junit.jupiter.api.parallel.ExecutionMode;

/** Compares copies with the inventory by the queries of docs/consuming.md. */
@Tag("full")
@Execution(ExecutionMode.CONCURRENT)
class CopyComparisonTest {
  /** What queries allow for clocks, and more. */
  private static final Duration LATER = Duration.ofMinutes(2);

  private static BothRoles api;

  private final UUID workspace = UUID.randomUUID();
  private final Path folder;
  private final Map<String, String> environment = new HashMap<>();
  private String python = "python3";
  private String database = "";

  CopyComparisonTest(@TempDir(cleanup = CleanupMode.ON_SUCCESS) Path folder) {
    this.folder = folder;
    environment.put("BASE_URL", api.publicUrl("").toString());
    environment.put("API_KEY", api.mintKey(workspace));
  }

  @BeforeAll
  static void start() {
    api = BothRoles.apiAlone(BothRoles.environment());
  }

  @AfterAll
  static void stop() {
    api.close();
  }

  @Test
  @Tag("long")
  void duckDb() throws Exception {
    environment.putAll(PythonPackages.install("duckdb", PythonPackages.DUCKDB_AND_PANDAS).path());
    python = environment.get("VIRTUAL_ENV") + "/bin/python3";
    String program = block(page("docs/consuming.md"), "import duckdb");
    String comparison = block(page("docs/consuming.md"), "import duckdb\n\nfound");
    findsEveryDifference(
        () -> {
          load();
          return python(program);
        },
        () -> python(comparison));
  }

  @Test
  void sqlite() throws Exception {
    ShownLoop.PYTHON.assumeItRunsHere();
    assumeTrue(sqliteHasFullJoins(), "SQLite is older than 3.39");
    String loop = block(page("docs/consuming.md"), "import gzip");
    String comparison = block(page("docs/consuming.md"), "import sqlite3");
    findsEveryDifference(() -> python(loop), () -> python(comparison));
  }

  @Test
  @Tag("long")
  void postgreSql() throws Exception {
    assumeTrue(has("psql"), "psql is not here");
    database = SharedBackends.get().freshDatabase(Migrations::run);
    Files.writeString(
        folder.resolve("compare.sql"), block(page("docs/consuming.md"), "create temporary table"));
    psql(
        "-c",
        "create schema copy; create table copy.captures (id uuid primary key, document jsonb not null)");
    environment.put("PGOPTIONS", "--search_path=copy");
    findsEveryDifference(
        () -> {
          load();
          String documents =
              Files.readAllLines(folder.resolve("captures.jsonl")).stream()
                  .filter(line -> new JsonObject(line).containsKey("id"))
                  .map(line -> "('" + new JsonObject(line).getString("id") + "', $$" + line + "$$)")
                  .collect(joining(",\n"));
          Files.writeString(
              folder.resolve("load.sql"),
              "truncate captures; insert into captures values " + documents);
          return psql("-f", "load.sql");
        },
        () -> psql("-f", "compare.sql"));
  }

  private void findsEveryDifference(Callable<String> load, Callable<String> compare)
      throws Exception {
    Set<String> ids = api.finish(workspace, 5);
    load.call();
    takeInventory(Duration.ZERO);
    assertThat(compare.call()).isEmpty();

    Map<String, String> expected = ids.stream().collect(toMap(id -> id, _ -> "stale"));
    api.finish(workspace, 1).forEach(id -> expected.put(id, "missing"));
    expected.put(api.change(workspace, ids), "superfluous");
    takeInventory(Duration.ZERO);
    assertThat(compare.call().lines().map(line -> line.split(" ", -1)))
        .allMatch(line -> line.length == 2)
        .hasSameSizeAs(expected.keySet())
        .allMatch(line -> line[1].equals(expected.get(line[0])));

    load.call();
    takeInventory(LATER);
    assertThat(compare.call()).isEmpty();
  }

  /** By the command of the page, as if it had been taken and the copy been read later. */
  private void takeInventory(Duration later) throws Exception {
    String commands = block(page("docs/consuming.md"), "curl -sS --fail --compressed -o inventory");
    Snippets.run(folder, environment, "bash", "-euc", commands);
    Path file = folder.resolve("inventory.jsonl");
    String lines =
        Files.readAllLines(file).stream()
            .map(JsonObject::new)
            .map(line -> earlier(line, later).encode())
            .collect(joining("\n", "", "\n"));
    Files.writeString(file, lines);
  }

  private static JsonObject earlier(JsonObject line, Duration duration) {
    Instant changedAt = line.getInstant("changed_at");
    return changedAt == null ? line : line.put("changed_at", changedAt.minus(duration));
  }

  private void load() throws Exception {
    assumeTrue(has("python3"), "python3 is not here");
    Snippets.run(
        folder,
        environment,
        "python3",
        Path.of("../../docs/connectors/first_load.py").toAbsolutePath().toString());
  }

  private String python(String program) throws Exception {
    return Snippets.run(folder, environment, python, "-c", program);
  }

  private String psql(String... arguments) throws Exception {
    List<String> command = new ArrayList<>(List.of("psql", database));
    command.addAll(List.of("-X", "-qAt", "-F", " ", "-v", "ON_ERROR_STOP=1"));
    command.addAll(List.of(arguments));
    return Snippets.run(folder, environment, command.toArray(String[]::new));
  }

  private boolean sqliteHasFullJoins() throws IOException, InterruptedException {
    String check = "import sqlite3\nprint(sqlite3.sqlite_version_info >= (3, 39))";
    return Snippets.run(folder, environment, "python3", "-c", check).strip().equals("True");
  }
}
