package io.egress.acceptance;

import static org.assertj.core.api.Assertions.assertThat;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import io.egress.settings.Settings;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Map;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** The units in deploy/systemd. */
class SystemdUnitsTest {
  private static final Path UNITS = Path.of("..", "..", "deploy", "systemd");
  private static final String INSTALLED = "/opt/transcript-egress";

  @ParameterizedTest
  @ValueSource(strings = {"api", "dispatcher"})
  void areAcceptedBySystemd(String role, @TempDir Path folder) throws Exception {
    assumeTrue(
        Snippets.works("systemd-analyze", "--version"),
        "systemd-analyze is not here (Debian: apt-get install systemd)");
    Path program = Files.writeString(folder.resolve("egress"), "#!/bin/sh\n");
    assertThat(program.toFile().setExecutable(true)).isTrue();
    String unit = "transcript-egress-" + role + ".service";
    Files.writeString(
        folder.resolve(unit), unit(role).replace("ExecStart=" + INSTALLED, "ExecStart=" + folder));

    Path output = folder.resolve("output.txt");
    Process verify =
        new ProcessBuilder("systemd-analyze", "verify", "--man=no", "./" + unit)
            .directory(folder.toFile())
            .redirectErrorStream(true)
            .redirectOutput(output.toFile())
            .start();

    assertThat(verify.waitFor()).as(Files.readString(output)).isZero();
    assertThat(Files.readString(output)).as("warnings").doesNotContain(unit + ":");
  }

  @ParameterizedTest
  @ValueSource(strings = {"api", "dispatcher"})
  void runTheLauncherAndWaitForItsShutdown(String role) throws IOException {
    String unit = unit(role);
    Settings settings =
        Settings.from(
            Map.of(
                "EGRESS_DATABASE_URL", "postgresql://egress@localhost/egress",
                "EGRESS_INTERNAL_TOKEN", "0123456789abcdef",
                "EGRESS_KAFKA_BOOTSTRAP", "localhost:9092"));

    assertThat(unit).contains("\nExecStart=" + INSTALLED + "/egress " + role + "\n");
    assertThat(Path.of("..", "..", "egress")).isExecutable();
    assertThat(Long.parseLong(value(unit, "TimeoutStopSec")))
        .isEqualTo(settings.process().shutdownTimeout().toSeconds() + 10);
    assertThat(value(unit, "RestartPreventExitStatus")).as("unusable settings").isEqualTo("2");
  }

  private static String unit(String role) throws IOException {
    return Files.readString(UNITS.resolve("transcript-egress-" + role + ".service"));
  }

  private static String value(String unit, String name) {
    Matcher value = Pattern.compile("(?m)^" + name + "=(.*)$").matcher(unit);
    assertThat(value.find()).as(name).isTrue();
    return value.group(1);
  }
}
