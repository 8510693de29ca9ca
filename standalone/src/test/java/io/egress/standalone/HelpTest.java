package io.egress.standalone;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.PrintWriter;
import java.io.StringWriter;
import org.junit.jupiter.api.Test;
import picocli.CommandLine;

class HelpTest {
  @Test
  void everyCommandTellsHowItIsUsed() {
    assertTellsOf(new CommandLine(new Main()));
  }

  private static void assertTellsOf(CommandLine command) {
    String name = command.getCommandSpec().qualifiedName();
    StringWriter told = new StringWriter();
    command.setOut(new PrintWriter(told, true)).setErr(new PrintWriter(told, true));
    assertThat(command.execute("--help")).as(told.toString()).isZero();
    assertThat(told.toString()).contains("Usage: " + name, "--help");
    command.getSubcommands().values().forEach(HelpTest::assertTellsOf);
  }
}
