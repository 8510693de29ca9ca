package io.egress.embedded;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.nio.file.Files;
import java.nio.file.Path;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class DataDirectoryLockTest {
  private final Path parent;

  DataDirectoryLockTest(@TempDir Path parent) {
    this.parent = parent;
  }

  @Test
  void isHeldOncePerProcessForEveryPathToTheFolder() throws Exception {
    Path folder = parent.resolve("data");
    Path link = Files.createSymbolicLink(parent.resolve("link"), folder);
    try (DataDirectoryLock held = DataDirectoryLock.acquire(folder)) {
      assertThatThrownBy(() -> DataDirectoryLock.acquire(link))
          .isInstanceOf(EmbeddedBackendException.class)
          .hasMessageContaining(held.folder().toString())
          .hasMessageContaining(Long.toString(ProcessHandle.current().pid()));
      assertThat(DataDirectoryLock.tryAcquire(folder)).isEmpty();
    }
    DataDirectoryLock.acquire(link).close();
  }

  @Test
  void reportsAFolderThatCannotBeCreated() throws Exception {
    Path file = Files.createFile(parent.resolve("file"));
    assertThatThrownBy(() -> DataDirectoryLock.acquire(file))
        .isInstanceOf(EmbeddedBackendException.class)
        .hasMessageContaining(file.toString());
  }
}
