package io.egress.acceptance;

import static org.assertj.core.api.Assertions.assertThat;

import io.egress.standalone.Main;
import java.nio.file.Path;
import java.util.ArrayList;
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
    run("-XX:ArchiveClassesAtExit=" + archive, "-Degress.rehearsal=true");

    assertThat(run("-XX:SharedArchiveFile=" + archive)).matches("Transcript Egress \\S+\\R");
  }

  /** It would take as long as the rest of a call. */
  @Test
  void noLogIsSetUp() throws Exception {
    assertThat(run("-Xlog:class+load", "-Degress.rehearsal=true"))
        .contains("io.egress.cli.KeysCommand")
        .doesNotContain("ch.qos.logback");
  }

  private static String run(String... options) throws Exception {
    List<String> line = new ArrayList<>();
    line.add(Path.of(System.getProperty("java.home"), "bin", "java").toString());
    line.add("@" + Path.of("..", "..", "deploy", "jvm", "command"));
    line.addAll(List.of(options));
    line.addAll(List.of("-cp", EgressJvm.CLASS_PATH, Main.class.getName(), "--version"));
    try (CommandLine command = CommandLine.start(Map.of(), line)) {
      assertThat(command.awaitExit()).as(command.output()).isZero();
      return command.output();
    }
  }
}
