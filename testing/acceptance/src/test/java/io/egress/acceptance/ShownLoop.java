package io.egress.acceptance;

import static io.egress.acceptance.Snippets.block;
import static io.egress.acceptance.Snippets.has;
import static io.egress.acceptance.Snippets.page;
import static java.nio.charset.StandardCharsets.UTF_8;
import static java.util.stream.Collectors.joining;
import static java.util.stream.Collectors.toCollection;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import io.vertx.core.json.JsonObject;
import java.io.ByteArrayOutputStream;
import java.io.File;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import java.util.TreeSet;
import java.util.stream.Stream;
import javax.tools.ToolProvider;

/** A cursor loop in docs/consuming.md. */
enum ShownLoop {
  PYTHON("loop.py", "import gzip", "python3"),
  NODE("loop.mjs", "import { mkdir", "node"),
  SHELL("loop.sh", "set -eu", "sh"),
  JAVA("Loop.java", "import static java", java());

  private final String file;
  private final String begin;
  private final String interpreter;

  ShownLoop(String file, String begin, String interpreter) {
    this.file = file;
    this.begin = begin;
    this.interpreter = interpreter;
  }

  void assumeItRunsHere() throws InterruptedException {
    assumeTrue(this == SHELL || has(interpreter), interpreter + " is not here");
    assumeTrue(this != SHELL || (has("curl") && has("jq")), "curl or jq is not here");
  }

  /** In {@code folder}, where it also stores what it reads. */
  Process start(Path folder, String url, String key) throws IOException {
    return start(folder, url, key, Map.of());
  }

  Process start(Path folder, String url, String key, Map<String, String> environment)
      throws IOException {
    return start(folder, url, key, environment, this == JAVA ? CompiledLoop.LINE : shownLine());
  }

  /** By the command that the page shows. */
  Process startAsShown(Path folder, String url, String key) throws IOException {
    return start(folder, url, key, Map.of(), shownLine());
  }

  private List<String> shownLine() {
    return this == JAVA
        ? List.of(interpreter, "-XX:TieredStopAtLevel=1", "-cp", jackson(), file)
        : List.of(interpreter, file);
  }

  /** {@code java Loop.java} compiles it at each start, which costs more than the rest of it. */
  private static final class CompiledLoop {
    static final List<String> LINE = line();

    private static List<String> line() {
      try {
        Path classes = Files.createDirectories(Path.of("target", "loop").toAbsolutePath());
        Path source = classes.resolve(JAVA.file);
        Files.writeString(source, JAVA.text());
        ByteArrayOutputStream said = new ByteArrayOutputStream();
        int status =
            ToolProvider.getSystemJavaCompiler()
                .run(
                    null,
                    said,
                    said,
                    "-cp",
                    jackson(),
                    "-d",
                    classes.toString(),
                    source.toString());
        if (status != 0) {
          throw new AssertionError(said.toString(UTF_8));
        }
        return List.of(
            JAVA.interpreter,
            "-XX:TieredStopAtLevel=1",
            "-cp",
            jackson() + File.pathSeparator + classes,
            "Loop");
      } catch (IOException failure) {
        throw new UncheckedIOException(failure);
      }
    }
  }

  private String text() throws IOException {
    return block(page("docs/consuming.md"), begin);
  }

  private Process start(
      Path folder, String url, String key, Map<String, String> environment, List<String> line)
      throws IOException {
    Files.writeString(folder.resolve(file), text());
    ProcessBuilder builder =
        new ProcessBuilder(line)
            .directory(folder.toFile())
            .redirectErrorStream(true)
            .redirectOutput(folder.resolve("output.txt").toFile());
    builder.environment().put("BASE_URL", url);
    builder.environment().put("API_KEY", key);
    builder.environment().putAll(environment);
    return builder.start();
  }

  /** The ids of the captures that it has stored. */
  Set<String> stored(Path folder) throws Exception {
    if (this == PYTHON) {
      return new TreeSet<>(select(folder, "id").toList());
    }
    try (Stream<Path> files = Files.list(folder.resolve("captures"))) {
      return files
          .map(capture -> capture.getFileName().toString().replace(".json", ""))
          .collect(toCollection(TreeSet::new));
    }
  }

  /** The captures that it has stored, without the time of the request, by their ids. */
  Map<String, JsonObject> documents(Path folder) throws Exception {
    Map<String, JsonObject> documents = new TreeMap<>();
    if (this == PYTHON) {
      select(folder, "document")
          .map(JsonObject::new)
          .forEach(each -> documents.put(each.getString("id"), each));
    } else {
      for (String id : stored(folder)) {
        String file = Files.readString(folder.resolve("captures").resolve(id + ".json"));
        documents.put(id, new JsonObject(file));
      }
    }
    documents.values().forEach(BothRoles::withoutTime);
    return documents;
  }

  private static Stream<String> select(Path folder, String column) throws Exception {
    String lines =
        "import sqlite3\nfor (line,) in sqlite3.connect('captures.db').execute("
            + "'select %s from captures'): print(line)".formatted(column);
    return Snippets.run(folder, Map.of(), "python3", "-c", lines).lines();
  }

  private static String java() {
    return Path.of(System.getProperty("java.home"), "bin", "java").toString();
  }

  private static String jackson() {
    return Arrays.stream(System.getProperty("java.class.path").split(File.pathSeparator))
        .filter(jar -> Path.of(jar).getFileName().toString().startsWith("jackson-"))
        .collect(joining(File.pathSeparator));
  }
}
