package io.egress.standalone.torture;

import static org.assertj.core.api.Assertions.assertThat;

import io.egress.standalone.Main;
import io.egress.standalone.run.ChildProcess;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.concurrent.TimeUnit;
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

  @Test
  void keepsEveryPromiseThroughSomeFaults(@TempDir Path folder) throws Exception {
    try (ChildProcess torture =
        ChildProcess.start(
            folder,
            "torture",
            new ChildProcess.Command(
                List.of("-Xmx256m"),
                Main.class.getName(),
                List.of(
                    "torture",
                    "--seed=" + SEED,
                    "--faults=6",
                    "--recovery=2m",
                    "--folder=" + folder.resolve("fleet")),
                Map.of()))) {
      assertThat(torture.handle().onExit().get(9, TimeUnit.MINUTES)).isNotNull();
      assertThat(Files.readString(torture.outputFile()))
          .contains("every promise was kept")
          .contains("6 faults");
    }
  }
}
