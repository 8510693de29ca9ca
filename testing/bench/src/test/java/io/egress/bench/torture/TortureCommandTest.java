package io.egress.bench.torture;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.PrintWriter;
import java.io.StringWriter;
import org.junit.jupiter.api.Test;
import picocli.CommandLine;

class TortureCommandTest {
  private static Object aged(String... arguments) {
    return new CommandLine(new TortureCommand())
        .parseArgs(arguments)
        .matchedOptionValue("--aged", "young");
  }

  @Test
  void anAgedDatabaseIsOfThreeMillionCapturesUnlessGiven() {
    assertThat(aged()).isEqualTo("young");
    assertThat(aged("--aged")).isEqualTo(3_000_000L);
    assertThat(aged("--aged", "--faults=2")).isEqualTo(3_000_000L);
    assertThat(aged("--aged=20000", "--faults=2")).isEqualTo(20_000L);
  }

  @Test
  void refusesWhatIsNoAge() {
    StringWriter errors = new StringWriter();
    CommandLine torture =
        new CommandLine(new TortureCommand()).setErr(new PrintWriter(errors, true));

    assertThat(torture.execute("--aged=old")).isEqualTo(CommandLine.ExitCode.USAGE);

    assertThat(errors.toString()).contains("'--aged'", "must be a number of captures");
  }
}
