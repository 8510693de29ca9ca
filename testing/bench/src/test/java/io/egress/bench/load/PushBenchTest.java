package io.egress.bench.load;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.PrintWriter;
import java.io.StringWriter;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import picocli.CommandLine;

class PushBenchTest {
  @ParameterizedTest
  @CsvSource({
    "spread, --rounds",
    "fan, --rounds",
    "hanging, --records",
    "skewed, --records",
    "waiting, --rounds",
    "latency, --deliveries",
    "spread, --mode"
  })
  void refusesUnusedOptions(String mode, String option) {
    StringWriter errors = new StringWriter();
    CommandLine push = new CommandLine(new PushBench()).setErr(new PrintWriter(errors, true));

    assertThat(push.execute(mode, option + "=9")).isEqualTo(CommandLine.ExitCode.USAGE);

    assertThat(errors.toString()).contains("Unknown option").contains(option);
  }
}
