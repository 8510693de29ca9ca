package io.egress.bench.load;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.PrintWriter;
import java.io.StringWriter;
import java.time.Duration;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import picocli.CommandLine;

class ScaleBenchTest {
  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      value = {
        "--processes=2,4 | must begin with 1",
        "--processes=1,0 | must be from 1 to 24",
        "--processes=1,25 | must be from 1 to 24",
        "--in-flight=15 | must be at least 16",
        "--endpoints=0 | must be a multiple of 10",
        "--endpoints=1005 | must be a multiple of 10",
        "--hanging=35 | must be a multiple of 10 below 100",
        "--hanging=100 | must be a multiple of 10 below 100",
        "--latency=0 | must be at least 1",
        "--seconds=0 | must be at least 1",
        "--fleet=1 | must be 0, or at least 2",
        "--deliveries=9 | Unknown option"
      })
  void refusesUselessOptions(String option, String complaint) {
    StringWriter errors = new StringWriter();
    CommandLine scale = new CommandLine(new ScaleBench()).setErr(new PrintWriter(errors, true));

    assertThat(scale.execute(option)).isEqualTo(CommandLine.ExitCode.USAGE);

    assertThat(errors.toString()).contains(complaint);
  }

  @Test
  void keepsProcessesBusyForTheWholeMeasurement() {
    ScaleLoad load = new ScaleLoad(100, 3, Duration.ofMillis(100), 64, 20, 30);

    assertThat(load.healthy()).isEqualTo(700);
    assertThat(load.perSecondMax()).as("three quarters of 64 in 0.1 s").isEqualTo(480);
    assertThat(load.warmUp(2)).isEqualTo(2 * 480 * 20);
    assertThat(load.backlogEach(2) * load.healthy()).isGreaterThan(2 * 480 * (20 + 30));
    assertThat(load.halfPace(960)).as("captures a second").isEqualTo(960 / 2 / 7.0);
    assertThat(new ScaleLoad(100, 0, Duration.ofMillis(100), 64, 20, 30).perSecondMax())
        .as("none hangs")
        .isEqualTo(640);
  }
}
