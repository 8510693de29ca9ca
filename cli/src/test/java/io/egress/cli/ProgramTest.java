package io.egress.cli;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.PrintWriter;
import java.io.StringWriter;
import java.util.Map;
import java.util.UUID;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;
import picocli.CommandLine;
import picocli.CommandLine.Command;

class ProgramTest {
  private final Program program = AdministrationProgram.make();

  @Test
  void readsOnlyTheCommandThatIsCalled() {
    assertThat(program.line(Map.of(), "keys", "list").getSubcommands()).containsOnlyKeys("keys");
  }

  @ParameterizedTest
  @ValueSource(strings = {"--help", "--version", "", "endpoint", "completion fish", "keys --help"})
  void answersAsIfAllHadBeenRead(String call) {
    String[] arguments = call.isEmpty() ? new String[0] : call.split(" ", -1);

    assertThat(printed(program.line(Map.of(), arguments), arguments))
        .isNotBlank()
        .isEqualTo(printed(program.whole(Map.of()), arguments));
  }

  @Test
  void namesCommandsAsTheyNameThemselves() {
    program
        .commands()
        .forEach((name, command) ->
            assertThat(command.getAnnotation(Command.class).name()).isEqualTo(name));
  }

  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      value = {
        "replays start 00000000-0000-4000-8000-000000000001 00000000-0000-4000-8000-000000000002"
            + "|give --failed, --from or --from-position|Usage: egress replays start",
        "listen --key service_x --forward-to ftp://localhost/hook"
            + "|--forward-to is not a URL|Usage: egress listen",
        "listen --key service_x --forward-to localhost"
            + "|--forward-to is not a URL|Usage: egress listen",
      })
  void aWrongCallIsAnsweredWithTheUsageOfItsCommand(String call, String problem, String usage) {
    String[] arguments = call.split(" ", -1);

    assertThat(printed(program.line(Map.of(), arguments), arguments))
        .contains(problem, usage, "status 2");
  }

  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      value = {
        "endpoints create ID https://example.com --header A:env:NOWHERE"
            + "|the variable NOWHERE is not set",
        "endpoints create ID https://example.com --header A:file:/nowhere"
            + "|the file /nowhere cannot be read",
        "endpoints create ID https://example.com --client-key a|go together",
        "endpoints create ID https://example.com --client-certificate /nowhere --client-key b"
            + "|the file /nowhere cannot be read",
        "endpoints change ID ID --oauth2-scope a|go together",
        "endpoints change ID ID --max-per-second many|takes a number or none, not 'many'",
        "endpoints change ID ID|nothing to change",
        "listen --key env:NOWHERE --forward-to http://localhost|the variable NOWHERE is not set",
        "keys list ID --port 1|set EGRESS_INTERNAL_TOKEN"
      })
  void whatOnlyTheCommandFindsWrongHasTheStatusOfAWrongCall(String call, String problem) {
    String[] arguments = call.replace("ID", UUID.randomUUID().toString()).split(" ", -1);
    Map<String, String> environment =
        problem.contains("INTERNAL_TOKEN")
            ? Map.of("EGRESS_DATA_DIR", "/nowhere")
            : Map.of("EGRESS_INTERNAL_TOKEN", "any");

    assertThat(printed(program.line(environment, arguments), arguments))
        .contains(problem, "status 2");
  }

  /** A call that fails would keep too few classes in the archive. */
  @Test
  void rehearsesCallsThatSucceed() {
    Rehearsal.of(program);
  }

  private static String printed(CommandLine line, String... arguments) {
    StringWriter printed = new StringWriter();
    PrintWriter out = new PrintWriter(printed);
    int status = Program.execute(line.setOut(out).setErr(out), arguments);
    return printed + "status " + status;
  }
}
