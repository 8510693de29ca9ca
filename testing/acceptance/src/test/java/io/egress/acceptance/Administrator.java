package io.egress.acceptance;

import static org.assertj.core.api.Assertions.assertThat;

import io.egress.cli.Program;
import io.egress.standalone.Main;
import io.vertx.core.json.JsonObject;
import java.io.PrintWriter;
import java.io.StringWriter;
import java.util.Map;
import java.util.stream.Stream;
import picocli.CommandLine;

/** Runs commands of {@code ./egress} in this JVM. */
final class Administrator {
  private final int port;
  private final Map<String, String> environment;

  /** Port and token of the internal API. */
  Administrator(int port, String token) {
    this.port = port;
    this.environment = Map.of("EGRESS_INTERNAL_TOKEN", token);
  }

  /** What a command prints that succeeds. */
  String run(String... arguments) {
    return run(0, arguments);
  }

  /** What a command prints that ends with {@code status}. */
  String run(int status, String... arguments) {
    StringWriter printed = new StringWriter();
    assertThat(run(printed, arguments)).as(printed::toString).isEqualTo(status);
    return printed.toString();
  }

  /** The status of a command, whose output grows in {@code printed}. */
  int run(StringWriter printed, String... arguments) {
    PrintWriter out = new PrintWriter(printed);
    CommandLine line = Main.program().whole(environment).setOut(out).setErr(out);
    int status = Program.execute(line, withPort(arguments));
    out.flush();
    return status;
  }

  JsonObject json(String... arguments) {
    String[] all = Stream.concat(Stream.of(arguments), Stream.of("--json")).toArray(String[]::new);
    return new JsonObject(run(all));
  }

  /** The port is an option of the first word. */
  private String[] withPort(String... words) {
    return Stream.concat(
            Stream.of(words[0], "--port", Integer.toString(port)), Stream.of(words).skip(1))
        .toArray(String[]::new);
  }
}
