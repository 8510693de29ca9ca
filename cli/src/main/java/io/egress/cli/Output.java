package io.egress.cli;

import static java.nio.charset.StandardCharsets.UTF_8;

import io.vertx.core.json.JsonObject;
import java.io.Console;
import java.io.PrintWriter;
import java.io.StringWriter;
import java.util.Optional;
import java.util.function.Consumer;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.Spec;

/**
 * What a command prints: text, or with {@code --json} what the internal API answered. All of it
 * goes through {@link VisibleText}.
 */
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
      out.println(VisibleText.json(answer.encodePrettily()));
    } else {
      StringWriter printed = new StringWriter();
      text.accept(new PrintWriter(printed));
      out.print(VisibleText.lines(printed.toString()));
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
    out.println(VisibleText.lines(text));
    out.flush();
    return 0;
  }

  /** A line of JSON. */
  static void jsonLine(CommandSpec command, String json) {
    PrintWriter out = command.commandLine().getOut();
    out.println(VisibleText.json(json));
    out.flush();
  }

  /** JSON byte for byte, for a file or another program; on a terminal, with escapes. */
  static void json(byte[] bytes) {
    byte[] shown =
        terminal().isEmpty() ? bytes : VisibleText.json(new String(bytes, UTF_8)).getBytes(UTF_8);
    System.out.write(shown, 0, shown.length);
    System.out.flush();
  }

  /** Says something that is not part of the output. */
  final void note(String text) {
    PrintWriter err = command.commandLine().getErr();
    err.println(VisibleText.lines(text));
    err.flush();
  }
}
