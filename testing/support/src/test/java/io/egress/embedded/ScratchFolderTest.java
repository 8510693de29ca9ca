package io.egress.embedded;

import static org.assertj.core.api.Assertions.assertThat;

import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Instant;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class ScratchFolderTest {
  private final Path parent;

  ScratchFolderTest(@TempDir Path parent) {
    this.parent = parent;
  }

  @Test
  void deletesOnlyUnusedFolders() throws Exception {
    Path abandoned = Files.createDirectory(parent.resolve("egress-scratch-1"));
    Files.createDirectories(abandoned.resolve("postgres/data"));
    Path held = Files.createDirectory(parent.resolve("egress-scratch-2"));
    Path other = Files.createDirectory(parent.resolve("something-else"));
    try (DataDirectoryLock lock = DataDirectoryLock.acquire(held)) {
      ScratchFolder.deleteAbandoned(parent, Files.getOwner(parent), Instant.now().plusSeconds(60));
      assertThat(lock.folder()).exists();
    }
    assertThat(abandoned).doesNotExist();
    assertThat(other).exists();
  }

  @Test
  void keepsAFolderThatMayBeNew() throws Exception {
    Path young = Files.createDirectory(parent.resolve("egress-scratch-1"));
    ScratchFolder.deleteAbandoned(parent, Files.getOwner(parent), Instant.now().minusSeconds(60));
    assertThat(young).exists();
  }

  @Test
  @Tag("full")
  void stopsAPostgresThatAKilledProcessLeftBehind() throws Exception {
    Path folder = parent.resolve("egress-scratch-1");
    Path real;
    try (BackendsProcess process = BackendsProcess.spawn(folder)) {
      real = folder.toRealPath();
      process.kill();
    }
    Postmaster leftBehind = Postmaster.of(real.resolve("postgres/data")).orElseThrow();

    ScratchFolder.deleteAbandoned(parent, Files.getOwner(parent), Instant.now().plusSeconds(60));

    assertThat(Postmaster.of(leftBehind.data())).isEmpty();
    assertThat(folder).doesNotExist();
  }
}
