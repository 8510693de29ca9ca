package io.egress.acceptance;

import static org.assertj.core.api.Assertions.assertThat;

import io.egress.embedded.ChildJvm;
import io.egress.standalone.Main;
import io.egress.standalone.run.ServiceJvm;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** The caches of a training run, used and refused by JVMs of the service. */
@Tag("full")
class TrainTest {
  private static final Path OPTIONS = Path.of("..", "..", "deploy", "jvm").toAbsolutePath();
  private static final String OF_THE_SERVICE = "io.egress.dispatcher.DispatcherApp";

  @TempDir private static Path folder;

  @BeforeAll
  static void train() throws Exception {
    try (CommandLine training =
        start(List.of(), "train", "--to", folder.toString(), "--seconds", "5")) {
      assertThat(training.awaitExit()).as(training.output()).isZero();
    }
  }

  @Test
  void leavesOnlyTheCaches() throws Exception {
    try (var left = Files.list(folder)) {
      assertThat(left.map(file -> file.getFileName().toString()))
          .containsExactlyInAnyOrder("service.aot", "broker.aot");
    }
  }

  @Test
  void theServiceTakesItsClassesFromThem() throws Exception {
    Path classes = Path.of("target", "classes-of-a-demo.log");
    try (CommandLine demo = demo(List.of("-Xlog:class+load:file=" + classes + "::filecount=0"))) {
      assertThat(demo.awaitExit()).as(demo.output()).isZero();
      assertThat(demo.output()).contains("webhooks verified").doesNotContain("is not used");
    }
    assertThat(Files.readAllLines(classes))
        .filteredOn(line -> line.contains(OF_THE_SERVICE + " "))
        .singleElement()
        .asString()
        .contains("shared objects file");
  }

  @Test
  void oneThatDoesNotFitIsNotUsedAndNamedInOneLine() throws Exception {
    try (CommandLine demo = demo(List.of("-XX:-UseCompactObjectHeaders"))) {
      assertThat(demo.awaitExit()).as(demo.output()).isZero();
      assertThat(demo.output().lines().filter(line -> line.contains("aot")))
          .singleElement()
          .asString()
          .contains("service.aot is not used: it was made for another JDK", "egress train makes");
    }
  }

  private CommandLine demo(List<String> further) throws Exception {
    List<String> options =
        new ArrayList<>(
            List.of(
                "-Degress.caches=" + folder,
                "-XX:AOTCache=" + ServiceJvm.cache(folder, ServiceJvm.SERVICE),
                "-Xlog:aot*=off"));
    options.addAll(further);
    return start(options, "demo", "--seconds", "3");
  }

  private static CommandLine start(List<String> options, String... arguments) throws Exception {
    List<String> line = ChildJvm.command();
    line.add("-Degress.jvm=" + OPTIONS);
    line.add("@" + OPTIONS.resolve("up"));
    line.addAll(options);
    line.addAll(List.of("-Xmx512m", "-cp", EgressJvm.CLASS_PATH, Main.class.getName()));
    line.addAll(List.of(arguments));
    return CommandLine.start(Map.of(), line);
  }
}
