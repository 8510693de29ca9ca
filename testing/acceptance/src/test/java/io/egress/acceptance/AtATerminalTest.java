package io.egress.acceptance;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;

import com.sun.net.httpserver.HttpExchange;
import com.sun.net.httpserver.HttpServer;
import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.util.List;
import java.util.Map;
import java.util.UUID;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.stream.Stream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/** What commands do at a terminal and without one, with a stand-in of the internal API. */
class AtATerminalTest {
  private static final Map<String, String> ENVIRONMENT =
      Map.of("EGRESS_INTERNAL_TOKEN", "some-token-or-other");
  private static final String TWICE = "endpoint +health +id\\R%sendpoint +health +id\\R";
  private static final String CLEARED = "\u001b\\[H\u001b\\[2J\u001b\\[3J";
  private static final String CTRL_C = "\u0003";

  private final String id = UUID.randomUUID().toString();
  private final List<String> calls = new CopyOnWriteArrayList<>();
  private HttpServer api;

  @BeforeEach
  void start() throws IOException {
    api = HttpServer.create(new InetSocketAddress(InetAddress.getLoopbackAddress(), 0), 0);
    api.createContext("/", this::answer);
    api.start();
  }

  @AfterEach
  void stop() {
    api.stop(0);
  }

  @Test
  void watchPrintsOneTableAfterTheOther() throws Exception {
    try (CommandLine list =
        CommandLine.start(ENVIRONMENT, words("endpoints", "list", id, "--watch", "1"))) {
      list.awaitOutput(TWICE.formatted("\\R"));
      assertThat(list.output()).doesNotContain("\u001b");
      list.terminate();
      assertThat(list.awaitExit()).as(list.output()).isZero();
    }
  }

  @Test
  void watchClearsATerminalUntilCtrlC() throws Exception {
    try (CommandLine list = atATerminal("endpoints", "list", id, "--watch", "1")) {
      list.awaitOutput(TWICE.formatted(CLEARED));
      list.type(CTRL_C);
      assertThat(list.awaitExit()).as(list.output()).isZero();
    }
  }

  @Test
  void whatCannotBeUndoneAsks() throws Exception {
    for (String[] command :
        List.of(
            new String[] {"endpoints", "delete", id, id}, new String[] {"workspaces", "end", id})) {
      try (CommandLine asking = atATerminal(command)) {
        asking.awaitOutput("Type yes to go on:");
        asking.type("no\n");
        assertThat(asking.awaitExit()).as(asking.output()).isEqualTo(1);
        assertThat(asking.output()).contains("nothing was done");
      }
    }
    assertThat(calls).noneMatch(each -> each.startsWith("DELETE"));

    try (CommandLine agreed = atATerminal("endpoints", "delete", id, id)) {
      agreed.awaitOutput(
          "Delete the endpoint https://example.com/hook for good\\? Type yes to go on:");
      agreed.type("yes\n");
      assertThat(agreed.awaitExit()).as(agreed.output()).isZero();
      assertThat(agreed.output()).contains("Deleted the endpoint https://example.com/hook;");
    }
    assertThat(calls).anyMatch(each -> each.startsWith("DELETE"));
  }

  private CommandLine atATerminal(String... arguments) throws IOException {
    return CommandLine.atATerminal(ENVIRONMENT, EgressJvm.command(words(arguments)));
  }

  private String[] words(String... arguments) {
    return Stream.concat(
            Stream.of(arguments), Stream.of("--port", Integer.toString(api.getAddress().getPort())))
        .toArray(String[]::new);
  }

  private void answer(HttpExchange exchange) throws IOException {
    calls.add(exchange.getRequestMethod() + " " + exchange.getRequestURI());
    byte[] body = "{\"endpoints\":[],\"url\":\"https://example.com/hook\"}".getBytes(UTF_8);
    exchange.sendResponseHeaders(200, body.length);
    exchange.getResponseBody().write(body);
    exchange.close();
  }
}
