package io.egress.acceptance;

import static java.nio.charset.StandardCharsets.UTF_8;

import io.vertx.core.json.JsonArray;
import io.vertx.core.json.JsonObject;
import java.io.BufferedReader;
import java.io.IOException;
import java.io.Writer;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.concurrent.TimeUnit;

/** The MCP server of docs/connectors over a folder, called by the client of the official SDK. */
final class Agent implements AutoCloseable {
  private static final Path CLIENT =
      Path.of("src/test/resources/connectors/mcp_client.py").toAbsolutePath();
  private static final Path SERVER =
      Path.of("../../docs/connectors/mcp_transcripts.py").toAbsolutePath().normalize();

  private final Process client;
  private final Writer calls;
  private final BufferedReader answers;
  private final Path errors;
  private final List<String> tools;

  /** Over the folder {@code transcripts} in the given one. */
  Agent(String python, Map<String, String> environment, Path folder) throws IOException {
    errors = folder.resolve("agent.txt");
    ProcessBuilder builder =
        new ProcessBuilder(python, CLIENT.toString(), python, SERVER.toString(), "transcripts")
            .directory(folder.toFile())
            .redirectError(errors.toFile());
    builder.environment().putAll(environment);
    client = builder.start();
    calls = client.outputWriter(UTF_8);
    answers = client.inputReader(UTF_8);
    tools = strings(answer().getJsonArray("tools"));
  }

  List<String> tools() {
    return tools;
  }

  /** The ids of what was found, best first. */
  List<String> search(String query) throws IOException {
    return ids(call("search", new JsonObject().put("query", query)).getJsonArray("results"));
  }

  /** The ids of all. */
  List<String> list() throws IOException {
    JsonObject answer = call("list", new JsonObject().put("limit", 100));
    return ids(answer.getJsonArray("conversations"));
  }

  /** A conversation, or an error. */
  JsonObject fetch(String id) throws IOException {
    return call("fetch", new JsonObject().put("id", id));
  }

  private JsonObject call(String tool, JsonObject arguments) throws IOException {
    calls.write(
        new JsonObject().put("tool", tool).put("arguments", arguments).encode()
            + System.lineSeparator());
    calls.flush();
    return answer();
  }

  private JsonObject answer() throws IOException {
    String line = answers.readLine();
    if (line == null) {
      throw new AssertionError("The client ended: " + Files.readString(errors));
    }
    return new JsonObject(line);
  }

  private static List<String> ids(JsonArray conversations) {
    return conversations.stream().map(found -> ((JsonObject) found).getString("id")).toList();
  }

  private static List<String> strings(JsonArray array) {
    return array.stream().map(String.class::cast).toList();
  }

  @Override
  public void close() throws IOException {
    calls.close();
    try {
      if (!client.waitFor(30, TimeUnit.SECONDS)) {
        client.destroyForcibly().waitFor();
      }
    } catch (InterruptedException interrupted) {
      client.destroyForcibly();
      Thread.currentThread().interrupt();
    }
  }
}
