package io.egress.cli;

import static org.assertj.core.api.Assertions.assertThat;

import io.vertx.core.json.JsonArray;
import io.vertx.core.json.JsonObject;
import java.io.IOException;
import java.io.PrintWriter;
import java.io.StringWriter;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Set;
import java.util.regex.Pattern;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import picocli.CommandLine;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;

/** Titles, names and answers are other people's: none of them controls a terminal. */
class TerminalOutputTest {
  /**
   * ESC, CSI of one character, a reversed direction, a line separator, a joiner, a half of a pair.
   */
  private static final String HOSTILE =
      "a\u001b[2Jb\u009b31mc\u202ed\u2028e\u200df\rg\u0085h\ud800i";

  private static final String SEEN = "a [2Jb 31mc d e f g h i";
  private static final Pattern WRITERS = Pattern.compile("System\\.(out|err)|getOut\\(|getErr\\(");

  /** Prints a document in every form that commands have. */
  @Command(name = "print")
  static final class PrintCommand implements Runnable {
    @Mixin private TableOutput output = new TableOutput();

    private String form = "";

    @Override
    public void run() {
      JsonObject answer = new JsonObject().put("title", HOSTILE).put("titles", rows());
      switch (form) {
        case "fields" -> output.fields(answer);
        case "table" ->
            output.table(
                answer,
                "titles",
                new TableOutput.Columns(List.of("title"), Set.of(), List.of("title")));
        case "note" -> output.note(HOSTILE);
        default -> output.print(answer, out -> out.print(HOSTILE));
      }
    }

    private static JsonArray rows() {
      return new JsonArray().add(new JsonObject().put("title", HOSTILE));
    }
  }

  @ParameterizedTest
  @ValueSource(strings = {"fields", "table", "note", "print"})
  void textIsVisible(String form) {
    assertThat(printed(form)).contains(SEEN).matches("[\\x20-\\x7e\n]*");
  }

  @Test
  void jsonIsTheSameAndVisible() {
    String json = printed("fields", "--json");

    assertThat(json).contains("\\u009b", "\\u202e", "\\u200d").matches("[\\x20-\\x7e\n]*");
    assertThat(new JsonObject(json).getString("title")).isEqualTo(HOSTILE);
  }

  @Test
  void linesAndTabsStay() {
    assertThat(VisibleText.lines("one\n\ttwo\r\nthree\rfour"))
        .isEqualTo("one\n\ttwo\r\nthree four");
    assertThat(VisibleText.line("one\n\ttwo")).isEqualTo("one two");
    assertThat(VisibleText.line("Grüße, 日本 𝄞 👍")).isEqualTo("Grüße, 日本 𝄞 👍");
  }

  /** Whatever a command prints goes through {@link Output}, or through {@link VisibleText}. */
  @Test
  void nothingElseWritesToTheTerminal() throws IOException {
    try (Stream<Path> sources = Files.walk(Path.of("src/main/java"))) {
      assertThat(
              sources
                  .filter(file -> file.toString().endsWith(".java"))
                  .filter(file -> WRITERS.matcher(read(file)).find())
                  .map(file -> file.getFileName().toString())
                  .collect(Collectors.toSet()))
          .containsOnly(
              "Output.java", "Program.java", "MirrorCommand.java", "CompletionCommand.java");
    }
  }

  private static String read(Path file) {
    try {
      return Files.readString(file);
    } catch (IOException failure) {
      throw new AssertionError(failure);
    }
  }

  private static String printed(String form, String... arguments) {
    PrintCommand command = new PrintCommand();
    command.form = form;
    StringWriter printed = new StringWriter();
    new CommandLine(command)
        .setOut(new PrintWriter(printed, true))
        .setErr(new PrintWriter(printed, true))
        .execute(arguments);
    return printed.toString();
  }
}
