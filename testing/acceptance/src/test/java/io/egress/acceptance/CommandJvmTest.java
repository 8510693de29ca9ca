package io.egress.acceptance;

import static org.assertj.core.api.Assertions.assertThat;

import io.egress.standalone.Main;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** The options and the archive of classes with which the start script runs a command. */
class CommandJvmTest {
  @TempDir private Path folder;

  @Test
  void nothingIsPrintedButWhatTheCommandSays() throws Exception {
    String archive = folder.resolve("classes.jsa").toString();
    run("-XX:ArchiveClassesAtExit=" + archive);

    assertThat(run("-XX:SharedArchiveFile=" + archive)).matches("Transcript Egress \\S+\\R");
  }

  private static String run(String option) throws Exception {
    List<String> line =
        List.of(
            Path.of(System.getProperty("java.home"), "bin", "java").toString(),
            "@" + Path.of("..", "..", "deploy", "jvm", "command"),
            option,
            "-cp",
            EgressJvm.CLASS_PATH,
            Main.class.getName(),
            "--version");
    try (CommandLine command = CommandLine.start(Map.of(), line)) {
      assertThat(command.awaitExit()).as(command.output()).isZero();
      return command.output();
    }
  }
}
