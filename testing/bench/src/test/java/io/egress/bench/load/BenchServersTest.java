package io.egress.bench.load;

import static org.assertj.core.api.Assertions.assertThat;

import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import picocli.CommandLine;
import picocli.CommandLine.ParseResult;

class BenchServersTest {
  @ParameterizedTest
  @ValueSource(strings = {"ingest", "push spread", "push latency", "pull"})
  void anAgedDatabaseIsOfTenMillionCapturesUnlessGiven(String suite) {
    assertThat(aged(suite)).isNull();
    assertThat(aged(suite + " --aged")).isEqualTo(10_000_000L);
    assertThat(aged(suite + " --aged 20,000")).isEqualTo(20_000L);
  }

  @Test
  void theNextOptionIsNotItsValue() {
    assertThat(aged("ingest --aged --seconds 9")).isEqualTo(10_000_000L);
  }

  private static @Nullable Long aged(String line) {
    ParseResult result = new CommandLine(new BenchCommand()).parseArgs(line.split(" ", -1));
    while (result.hasSubcommand()) {
      result = result.subcommand();
    }
    return result.matchedOptionValue("--aged", null);
  }
}
