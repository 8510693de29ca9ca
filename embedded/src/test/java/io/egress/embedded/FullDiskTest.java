package io.egress.embedded;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import java.io.IOException;
import java.io.OutputStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/** Needs a file system of its own, which only root can mount. */
@Timeout(240)
class FullDiskTest {
  private static final Duration PATIENCE = Duration.ofSeconds(90);

  private final Path folder;

  FullDiskTest(@TempDir Path folder) {
    this.folder = folder;
  }

  @BeforeEach
  void mount() throws Exception {
    assumeTrue(
        run("mount", "-t", "tmpfs", "-o", "size=500m,mode=755", "tmpfs", folder.toString()),
        "only root can mount the small disk that this needs");
  }

  @AfterEach
  void unmount() throws Exception {
    run("umount", "--lazy", folder.toString());
  }

  @Test
  void isSurvivedByBothServersWithoutAHand() throws Exception {
    Path ballast = folder.resolve("ballast");
    try (EmbeddedBackends backends =
        EmbeddedBackends.start(EmbeddedOptions.persistent(folder.resolve("data")).unsynced())) {
      Traces.leaveRecord(backends.kafkaBootstrap(), "before");
      Traces.leaveRow(backends.databaseUrl(), "before");
      int refusals = BrokerExits.refusals();

      fill(ballast);
      CompletableFuture<Boolean> refused =
          CompletableFuture.supplyAsync(
              () ->
                  works(() -> Traces.leaveRecord(backends.kafkaBootstrap(), "x".repeat(500_000))));
      await().atMost(PATIENCE).until(() -> BrokerExits.refusals() > refusals);
      Files.delete(ballast);

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

  private static void fill(Path ballast) {
    byte[] block = new byte[1 << 20];
    try (OutputStream out = Files.newOutputStream(ballast)) {
      while (true) {
        out.write(block);
      }
    } catch (IOException full) {
      // As intended.
    }
  }

  private static boolean run(String... command) throws Exception {
    try {
      Process tool =
          new ProcessBuilder(command)
              .redirectErrorStream(true)
              .redirectOutput(ProcessBuilder.Redirect.DISCARD)
              .start();
      return tool.waitFor(10, TimeUnit.SECONDS) && tool.exitValue() == 0;
    } catch (IOException missing) {
      return false;
    }
  }
}
