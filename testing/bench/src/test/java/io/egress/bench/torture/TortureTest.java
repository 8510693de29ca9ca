package io.egress.bench.torture;

import static org.assertj.core.api.Assertions.assertThat;

import io.egress.bench.ShortLived;
import io.egress.standalone.run.ChildProcess;
import java.nio.file.Path;
import java.time.Duration;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.api.parallel.Execution;
import org.junit.jupiter.api.parallel.ExecutionMode;

/** The short form of the fault suite; {@code ./egress torture} is the long one. */
@Timeout(600)
@Execution(ExecutionMode.CONCURRENT)
class TortureTest {
  /** What fails with a seed fails with it again: here some faults of every sort come first. */
  private static final String SEED = "2";

  /** One fleet after the other: two at once would need more processors than there are. */
  @Test
  @Execution(ExecutionMode.SAME_THREAD)
  void keepsEveryPromiseThroughTwoFaults(@TempDir Path folder) throws Exception {
    keepsEveryPromise("single", 2, folder);
  }

  @Test
  @Tag("full")
  @Execution(ExecutionMode.SAME_THREAD)
  void keepsEveryPromiseThroughSomeFaults(@TempDir Path folder) throws Exception {
    keepsEveryPromise("single", 4, folder);
  }

  @Test
  @Tag("full")
  @Execution(ExecutionMode.SAME_THREAD)
  void keepsEveryPromiseWithBackendsThatFailOver(@TempDir Path folder) throws Exception {
    keepsEveryPromise("ha", 3, folder);
  }

  private static void keepsEveryPromise(String backends, int faults, Path folder) throws Exception {
    try (ChildProcess torture =
        ShortLived.start(
            folder,
            "torture",
            "--seed=" + SEED,
            "--backends=" + backends,
            "--faults=" + faults,
            "--recovery=2m",
            "--folder=" + folder.resolve("fleet"))) {
      int status = torture.awaitExit(Duration.ofMinutes(9));

      assertThat(torture.output()).contains("every promise was kept").contains(faults + " faults");
      assertThat(status).isZero();
    }
  }
}
