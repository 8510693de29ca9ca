package io.egress.cli;

import io.vertx.core.json.JsonObject;
import java.io.Console;
import java.io.PrintWriter;
import java.util.Optional;
import java.util.function.Consumer;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.Spec;

/** What a command prints: text, or with {@code --json} what the internal API answered. */
class Output {
  /** Moves to the first line and erases the screen and what scrolled out of it. */
  private static final String CLEAR = "\u001b[H\u001b[2J\u001b[3J";

  @Spec(Spec.Target.MIXEE)
  private CommandSpec command = CommandSpec.create();

  @Option(names = "--json", description = "print JSON")
  private boolean json;

  private boolean again;

  final boolean isJson() {
    return json;
  }

  final int print(JsonObject answer, Consumer<PrintWriter> text) {
    PrintWriter out = command.commandLine().getOut();
    if (again) {
      out.print(terminal().isPresent() ? CLEAR : System.lineSeparator());
    }
    if (json) {
      out.println(answer.encodePrettily());
    } else {
      text.accept(out);
    }
    out.flush();
    return 0;
  }

  final int line(JsonObject answer, String text) {
    return print(answer, out -> out.println(text));
  }

  final int fields(JsonObject answer) {
    return print(answer, out -> out.print(TextTable.fields(answer)));
  }

  /** What is printed next replaces what a terminal shows, or follows an empty line. */
  final void startAgain() {
    again = true;
  }

  @SuppressWarnings("SystemConsoleNull") // Without a terminal it is null again from JDK 25 on.
  static Optional<Console> terminal() {
    return Optional.ofNullable(System.console()).filter(Console::isTerminal);
  }

  /** What a command without a JSON form has done. */
  static int line(CommandSpec command, String text) {
    PrintWriter out = command.commandLine().getOut();
    out.println(text);
    out.flush();
    return 0;
  }

  /** Says something that is not part of the output. */
  final void note(String text) {
    PrintWriter err = command.commandLine().getErr();
    err.println(text);
    err.flush();
  }
}
