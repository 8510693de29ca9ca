package io.egress.bench;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.PrintWriter;
import java.io.StringWriter;
import java.util.Map;
import java.util.stream.Stream;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;
import picocli.CommandLine;

class HelpTest {
  private static final int COLUMNS = 80;

  @ParameterizedTest
  @MethodSource("commands")
  void fitsIntoATerminalForEveryCommand(String name, CommandLine command) {
    StringWriter help = new StringWriter();
    command.setOut(new PrintWriter(help, true)).setErr(new PrintWriter(help, true));

    assertThat(command.execute("--help")).as(help.toString()).isZero();

    assertThat(help.toString()).contains("Usage: " + name, "--help");
    assertThat(help.toString().lines()).allMatch(line -> line.length() <= COLUMNS);
  }

  private static Stream<Object[]> commands() {
    return withSubcommands(BenchMain.program().whole(Map.of()))
        .map(command -> new Object[] {command.getCommandSpec().qualifiedName(), command});
  }

  private static Stream<CommandLine> withSubcommands(CommandLine command) {
    return Stream.concat(
        Stream.of(command),
        command.getSubcommands().values().stream().flatMap(HelpTest::withSubcommands));
  }
}
