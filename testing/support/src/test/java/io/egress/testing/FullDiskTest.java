package io.egress.testing;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import io.egress.embedded.EmbeddedBackends;
import io.egress.embedded.EmbeddedOptions;
import java.nio.file.Path;
import java.time.Duration;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Needs a file system of its own, which only root can mount. */
@Tag("full")
class FullDiskTest {
  private static final int DISK_MEGABYTES = 500;
  private static final Duration PATIENCE = Duration.ofSeconds(90);
  private static final Duration FULL = Duration.ofSeconds(20);

  @Test
  void isSurvivedByBothServersWithoutHelp(@TempDir Path folder) throws Exception {
    Optional<SmallDisk> mounted = SmallDisk.mount(folder, DISK_MEGABYTES);
    assumeTrue(mounted.isPresent(), "only root can mount the small disk that this needs");
    try (SmallDisk disk = mounted.get();
        EmbeddedBackends backends =
            EmbeddedBackends.start(EmbeddedOptions.persistent(folder.resolve("data")).unsynced())) {
      Traces.leaveRecord(backends.kafkaBootstrap(), "before");
      Traces.leaveRow(backends.databaseUrl(), "before");
      ProcessHandle broker = backends.kafka().handle();

      disk.fill();
      CompletableFuture<Boolean> refused =
          CompletableFuture.supplyAsync(() ->
              works(() -> Traces.leaveRecord(backends.kafkaBootstrap(), "x".repeat(500_000))));
      await().atMost(PATIENCE).until(() -> !broker.isAlive());
      await().during(FULL).atMost(PATIENCE).until(() -> !broker.isAlive());
      disk.free();

      await()
          .atMost(PATIENCE)
          .until(() -> works(() -> Traces.leaveRecord(backends.kafkaBootstrap(), "after")));
      await()
          .atMost(PATIENCE)
          .until(() -> works(() -> Traces.leaveRow(backends.databaseUrl(), "after")));
      assertThat(Traces.records(backends.kafkaBootstrap())).contains("before", "after");
      assertThat(Traces.rows(backends.databaseUrl())).contains("before", "after");
      refused.join();
    }
  }

  private interface Work {
    void run() throws Exception;
  }

  private static boolean works(Work work) {
    try {
      work.run();
      return true;
    } catch (Exception failed) {
      return false;
    }
  }
}
