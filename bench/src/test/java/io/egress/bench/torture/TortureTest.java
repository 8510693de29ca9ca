package io.egress.bench.torture;

import static org.assertj.core.api.Assertions.assertThat;

import io.egress.bench.ShortLived;
import io.egress.standalone.run.ChildProcess;
import java.nio.file.Path;
import java.time.Duration;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.api.parallel.Execution;
import org.junit.jupiter.api.parallel.ExecutionMode;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** The short form of the fault suite; {@code ./egress torture} is the long one. */
@Timeout(600)
@Execution(ExecutionMode.CONCURRENT)
class TortureTest {
  /** What fails with a seed fails with it again: here some faults of every sort come first. */
  private static final String SEED = "2";

  /** One fleet after the other: two at once would need more processors than there are. */
  @Execution(ExecutionMode.SAME_THREAD)
  @ParameterizedTest
  @CsvSource({"single, 6", "ha, 3"})
  void keepsEveryPromiseThroughSomeFaults(String backends, int faults, @TempDir Path folder)
      throws Exception {
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
