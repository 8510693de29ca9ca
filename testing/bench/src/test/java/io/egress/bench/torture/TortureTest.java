package io.egress.bench.torture;

import static org.assertj.core.api.Assertions.assertThat;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import io.egress.bench.ShortLived;
import io.egress.standalone.run.ChildProcess;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.api.parallel.Execution;
import org.junit.jupiter.api.parallel.ExecutionMode;

/** The short form of the fault suite; {@code ./egress torture} is the long one. */
@Execution(ExecutionMode.CONCURRENT)
class TortureTest {
  /** What fails with a seed fails with it again: here some faults of every sort come first. */
  private static final String SEED = "2";

  /** One fleet after the other: two at once would need more processors than there are. */
  @Test
  @Tag("long")
  @Execution(ExecutionMode.SAME_THREAD)
  void keepsEveryPromiseThroughTwoFaults(@TempDir Path folder) throws Exception {
    keepsEveryPromise("single", 2, folder);
  }

  @Test
  @Tag("long")
  @Execution(ExecutionMode.SAME_THREAD)
  void keepsEveryPromiseWithBackendsThatFailOver(@TempDir Path folder) throws Exception {
    keepsEveryPromise("ha", 3, folder);
  }

  /** What months of life left is neither lost, nor slows the recovery down. */
  @Test
  @Tag("long")
  @Execution(ExecutionMode.SAME_THREAD)
  void keepsEveryPromiseOnAnAgedDatabase(@TempDir Path folder) throws Exception {
    assertThat(keepsEveryPromise(folder, "--backends=ha", "--faults=2", "--aged=20000"))
        .contains("a database of 20,000 captures", "2 faults", "recovered after");
  }

  /** From the newest release to this build and back. */
  @Test
  @Tag("full")
  @Timeout(2_400)
  @Execution(ExecutionMode.SAME_THREAD)
  void keepsEveryPromiseThroughAnUpgradeAndBack(@TempDir Path folder) throws Exception {
    upgrade(folder, "--faults=1", "--takeovers=2");
  }

  @Test
  @Tag("long")
  @Timeout(2_400)
  @Execution(ExecutionMode.SAME_THREAD)
  void keepsEveryPromiseThroughAnUpgradeBackAndForward(@TempDir Path folder) throws Exception {
    assertThat(upgrade(folder, "--faults=3")).contains("endpoints are sent the stream");
  }

  private static String upgrade(Path folder, String... options) throws Exception {
    List<String> releases = Files.readAllLines(Path.of("..", "..", "deploy", "releases"));
    String[] newest = releases.getLast().split(" ", 2);
    assumeTrue(isHere(newest[1]), "this clone does not have the commit of " + newest[0]);

    List<String> all = new ArrayList<>(List.of(options));
    all.add("--from=" + newest[0]);
    String output = keepsEveryPromise(folder, all.toArray(String[]::new));
    assertThat(output).contains("api-1 becomes this build", "dispatcher-2 becomes " + newest[0]);
    return output;
  }

  private static boolean isHere(String commit) throws Exception {
    return new ProcessBuilder("git", "cat-file", "-e", commit).start().waitFor() == 0;
  }

  private static void keepsEveryPromise(String backends, int faults, Path folder) throws Exception {
    assertThat(keepsEveryPromise(folder, "--backends=" + backends, "--faults=" + faults))
        .contains(faults + " faults");
  }

  private static String keepsEveryPromise(Path folder, String... options) throws Exception {
    List<String> arguments = new ArrayList<>(List.of("torture", "--seed=" + SEED, "--recovery=2m"));
    arguments.add("--folder=" + folder.resolve("fleet"));
    arguments.addAll(List.of(options));
    try (ChildProcess torture = ShortLived.start(folder, arguments.toArray(String[]::new))) {
      int status = torture.awaitExit(Duration.ofMinutes(21));

      assertThat(torture.output()).contains("every promise was kept");
      assertThat(status).isZero();
      return torture.output();
    }
  }
}
