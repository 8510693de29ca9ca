package io.egress.cli;

import io.vertx.core.json.JsonArray;
import io.vertx.core.json.JsonObject;
import java.io.PrintWriter;
import java.util.List;
import java.util.function.Consumer;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.Spec;

/** What a command prints: text, or with {@code --json} what the internal API answered. */
final class Output {
  @Spec(Spec.Target.MIXEE)
  private CommandSpec command = CommandSpec.create();

  @Option(names = "--json", description = "print JSON")
  private boolean json;

  boolean isJson() {
    return json;
  }

  int print(JsonObject answer, Consumer<PrintWriter> text) {
    PrintWriter out = command.commandLine().getOut();
    if (json) {
      out.println(answer.encodePrettily());
    } else {
      text.accept(out);
    }
    out.flush();
    return 0;
  }

  int line(JsonObject answer, String text) {
    return print(answer, out -> out.println(text));
  }

  int fields(JsonObject answer) {
    return print(answer, out -> out.print(TextTable.fields(answer)));
  }

  /** The objects in the array {@code field} are the rows. */
  int table(JsonObject answer, String field, List<String> columns) {
    return table(answer, answer.getJsonArray(field), columns);
  }

  int table(JsonObject answer, JsonArray rows, List<String> columns) {
    return print(answer, out -> out.print(TextTable.of(columns, rows)));
  }

  /** What a command without a JSON form has done. */
  static int line(CommandSpec command, String text) {
    PrintWriter out = command.commandLine().getOut();
    out.println(text);
    out.flush();
    return 0;
  }

  /** Says something that is not part of the output. */
  void note(String text) {
    PrintWriter err = command.commandLine().getErr();
    err.println(text);
    err.flush();
  }
}
