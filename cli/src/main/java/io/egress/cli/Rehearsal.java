package io.egress.cli;

import static java.nio.charset.StandardCharsets.UTF_8;

import com.sun.net.httpserver.HttpExchange;
import com.sun.net.httpserver.HttpServer;
import io.vertx.core.json.JsonArray;
import io.vertx.core.json.JsonObject;
import java.io.IOException;
import java.io.PrintWriter;
import java.io.StringWriter;
import java.io.UncheckedIOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.util.List;
import java.util.Map;
import picocli.CommandLine;

/**
 * Calls that load the classes that most calls need, so that the JVM can keep them in an archive. A
 * server of its own answers.
 */
final class Rehearsal {
  private static final String ANY = "00000000-0000-0000-0000-000000000000";
  private static final Map<String, String> ENVIRONMENT = Map.of("EGRESS_INTERNAL_TOKEN", "any");
  private static final List<String> CALLS =
      List.of("keys list " + ANY, "endpoints list " + ANY, "deliveries list " + ANY, "audit list");
  private static final Map<String, Integer> OTHERS =
      Map.of("--help", 0, "endpoints --help", 0, "mistyped", CommandLine.ExitCode.USAGE);

  /** To any of the calls. */
  private static final JsonObject ANSWER =
      new JsonObject()
          .put("api_keys", new JsonArray().add(new JsonObject().put("id", ANY)))
          .put("endpoints", new JsonArray())
          .put("deliveries", new JsonArray())
          .put("entries", new JsonArray())
          .put("pageInfo", new JsonObject().put("hasNextPage", false));

  private Rehearsal() {}

  static void of(Program program) {
    try {
      HttpServer server =
          HttpServer.create(new InetSocketAddress(InetAddress.getLoopbackAddress(), 0), 0);
      server.createContext("/", Rehearsal::answer);
      server.start();
      String address = " --host 127.0.0.1 --port " + server.getAddress().getPort();
      CALLS.forEach(call -> call(program, call + address, 0));
      OTHERS.forEach((call, status) -> call(program, call, status));
      server.stop(0);
    } catch (IOException failure) {
      throw new UncheckedIOException("the rehearsal's server cannot start", failure);
    }
  }

  private static void call(Program program, String call, int status) {
    String[] arguments = call.split(" ", -1);
    StringWriter printed = new StringWriter();
    PrintWriter out = new PrintWriter(printed);
    CommandLine line = program.line(ENVIRONMENT, arguments).setOut(out).setErr(out);
    if (Program.execute(line, arguments) != status) {
      throw new IllegalStateException(call + ": " + printed);
    }
  }

  private static void answer(HttpExchange exchange) throws IOException {
    byte[] answer = ANSWER.encode().getBytes(UTF_8);
    exchange.getResponseHeaders().set("content-type", "application/json");
    exchange.sendResponseHeaders(200, answer.length);
    exchange.getResponseBody().write(answer);
    exchange.close();
  }
}
