package io.egress.acceptance;

import static java.nio.charset.StandardCharsets.UTF_8;

import io.vertx.core.json.JsonArray;
import io.vertx.core.json.JsonObject;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.function.Predicate;

/** A receiver of pages in docs/receivers, which stores what it accepts in {@code folder}. */
final class PageReceiver implements AutoCloseable {
  /**
   * What is stored: the captures in their order, without those that were erased since, and the
   * cursor of the stream.
   */
  record Stored(List<String> ids, Optional<String> cursor) {}

  private final ShownReceiver shown;
  private final Path folder;
  private final String secret;
  private final String command;
  private final StringBuilder earlierOutput = new StringBuilder();
  private CommandLine process;

  /** On any port. */
  PageReceiver(ShownReceiver shown, Path folder, String secret)
      throws IOException, InterruptedException {
    this(shown, folder, secret, 0);
  }

  PageReceiver(ShownReceiver shown, Path folder, String secret, int port)
      throws IOException, InterruptedException {
    this.shown = shown;
    this.folder = folder;
    this.secret = secret;
    this.command = shown.pagesCommand();
    start(port);
  }

  private void start(int port) throws IOException {
    String line = "cd '" + folder + "' && exec " + command + " " + port;
    process = CommandLine.start(Map.of("SIGNING_SECRET", secret), List.of("sh", "-c", line));
  }

  RawPost post() {
    return ShownReceiver.post(process);
  }

  /** Of all its processes. */
  String output() {
    return earlierOutput + process.output();
  }

  void kill() throws IOException, InterruptedException {
    process.kill();
    earlierOutput.append(process.output());
    process.close();
  }

  void restart(int port) throws IOException {
    start(port);
  }

  Stored stored() throws IOException, InterruptedException {
    return shown == ShownReceiver.PYTHON ? storedInDatabase() : storedInFiles();
  }

  /** The cursor of the changes. */
  Optional<String> storedChanges() throws IOException, InterruptedException {
    if (shown == ShownReceiver.PYTHON) {
      String program =
          """
          import sqlite3
          db = sqlite3.connect("captures.db")
          for (cursor,) in db.execute("select cursor from places where feed = 'changes'"):
              print(cursor)
          """;
      return Snippets.run(folder, Map.of(), "python3", "-c", program).lines().findFirst();
    }
    String[] place = Files.readString(folder.resolve("pages.place")).split(" ", -1);
    return Optional.of(place[2]).filter(cursor -> !cursor.equals("-"));
  }

  private Stored storedInDatabase() throws IOException, InterruptedException {
    String program =
        """
        import sqlite3
        db = sqlite3.connect("captures.db")
        for (cursor,) in db.execute("select cursor from places where feed = 'captures'"):
            print(cursor)
        for (id,) in db.execute("select id from captures order by rowid"):
            print(id)
        """;
    List<String> lines = Snippets.run(folder, Map.of(), "python3", "-c", program).lines().toList();
    return lines.isEmpty()
        ? new Stored(List.of(), Optional.empty())
        : new Stored(lines.subList(1, lines.size()), Optional.of(lines.getFirst()));
  }

  private Stored storedInFiles() throws IOException {
    Path place = folder.resolve("pages.place");
    if (Files.notExists(place)) {
      return new Stored(List.of(), Optional.empty());
    }
    String[] bytesAndCursor = Files.readString(place).split(" ", -1);
    byte[] counted =
        Arrays.copyOf(
            Files.readAllBytes(folder.resolve("pages.jsonl")), Integer.parseInt(bytesAndCursor[0]));
    List<String> ids = new ArrayList<>();
    for (String line : new String(counted, UTF_8).lines().toList()) {
      JsonObject page = new JsonObject(line);
      ids.addAll(ids(page.getJsonArray("captures", new JsonArray()), _ -> true));
      ids.removeAll(
          ids(
              page.getJsonArray("changes", new JsonArray()),
              change -> change.getJsonObject("capture") == null));
    }
    return new Stored(ids, Optional.of(bytesAndCursor[1]));
  }

  private static List<String> ids(JsonArray entries, Predicate<JsonObject> which) {
    return entries.stream()
        .map(JsonObject.class::cast)
        .filter(which)
        .map(entry -> entry.getString("id"))
        .toList();
  }

  @Override
  public void close() throws IOException {
    process.close();
  }
}
