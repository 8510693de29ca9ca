package io.egress.acceptance;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;

/** What builds the service is the same tomorrow, whoever owns its name then. */
class PinnedToolsTest {
  private static final Path ROOT = Path.of("..", "..");

  @Test
  void mavensDistributionHasAChecksum() throws IOException {
    assertThat(ROOT.resolve(".mvn/wrapper/maven-wrapper.properties"))
        .content()
        .containsPattern("(?m)^distributionSha256Sum=[0-9a-f]{64}$");
  }

  @Test
  void actionsAreUsedByCommit() throws IOException {
    try (Stream<Path> workflows = Files.list(ROOT.resolve(".github/workflows"))) {
      List<String> used =
          workflows.flatMap(PinnedToolsTest::lines).filter(line -> line.contains("uses:")).toList();

      assertThat(used).isNotEmpty().allMatch(line -> line.matches(".*@[0-9a-f]{40} # v[0-9.]+"));
    }
  }

  private static Stream<String> lines(Path file) {
    try {
      return Files.readAllLines(file).stream();
    } catch (IOException failure) {
      throw new AssertionError(failure);
    }
  }
}
