package io.egress.cli.mirror;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import java.time.Instant;
import java.util.List;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Folders that cannot be mirrors. */
class MirrorFolderTest {
  private final Path folder;

  MirrorFolderTest(@TempDir Path folder) {
    this.folder = folder;
  }

  @Test
  void aFileIsNoFolder() throws Exception {
    Path file = Files.writeString(folder.resolve("file"), "mine");
    refuses(file, null, file + " is a file; --to needs a folder");
    assertThat(Files.readString(file)).isEqualTo("mine");
  }

  /** Whoever else has an account on the machine does not read transcripts. */
  @Test
  void onlyItsUserCanReadIt() throws Exception {
    Path root = folder.resolve("new").resolve("mirror");
    MirrorFolder.open(root, MirrorFormat.JSON, FileOperations.REAL).close();
    FileOperations.REAL.createFolder(root.resolve("2026"));
    FileOperations.REAL.write(root.resolve("2026").resolve("a.json"), new byte[1], Instant.EPOCH);

    try (Stream<Path> all = Files.walk(folder.resolve("new"))) {
      assertThat(all.toList())
          .hasSizeGreaterThan(4)
          .allSatisfy(path ->
              assertThat(PosixFilePermissions.toString(Files.getPosixFilePermissions(path)))
                  .as(path.toString())
                  .isEqualTo(Files.isDirectory(path) ? "rwx------" : "rw-------"));
    }
  }

  @Test
  void aFolderOfSomethingElseIsLeftAlone() throws Exception {
    Files.writeString(folder.resolve("thesis.md"), "mine");
    refuses(
        folder,
        null,
        folder + " is not a mirror and not empty: it has thesis.md; choose another folder");
    assertThat(names()).containsExactly("thesis.md");
  }

  @Test
  void anotherFormatIsRefused() throws Exception {
    MirrorFolder.open(folder, MirrorFormat.MARKDOWN, FileOperations.REAL).close();
    byte[] before = Files.readAllBytes(folder.resolve(MirrorState.FILE));

    refuses(
        folder,
        MirrorFormat.JSON,
        folder + " has .md files; leave --format out or choose another folder");
    assertThat(folder.resolve(MirrorState.FILE)).hasBinaryContent(before);
    try (MirrorFolder again = MirrorFolder.open(folder, null, FileOperations.REAL)) {
      assertThat(again.state().format()).isEqualTo(MirrorFormat.MARKDOWN);
    }
  }

  @Test
  void theStateOfANewerReleaseIsRefused() throws Exception {
    Files.writeString(folder.resolve(MirrorState.FILE), "{\"version\":2,\"format\":\"tar\"}");
    refuses(folder, null, ".egress-mirror.json was written by a newer release of egress");
    assertThat(names()).containsExactly(MirrorState.FILE);
  }

  @Test
  void aDamagedStateIsRefused() throws Exception {
    for (String state :
        List.of("", "{", "[]", "{}", "{\"format\":\"md\",\"workspace_id\":\"..\"}")) {
      Files.writeString(folder.resolve(MirrorState.FILE), state);
      assertThatThrownBy(() -> MirrorFolder.open(folder, null, FileOperations.REAL))
          .as(state)
          .isInstanceOf(MirrorException.class)
          .hasMessageContaining("is not a state of egress mirror");
    }
    assertThat(names()).containsExactly(MirrorState.FILE);
  }

  @Test
  void twoMirrorsOfOneFolderAreRefused() throws Exception {
    try (MirrorFolder _ = MirrorFolder.open(folder, null, FileOperations.REAL)) {
      refuses(folder, null, "Another egress mirror keeps " + folder + " current");
    }
    MirrorFolder.open(folder, null, FileOperations.REAL).close();
  }

  @Test
  void checkLooksOnlyAtMirrors() {
    assertThatThrownBy(() -> MirrorFolder.look(folder.resolve("nothing"), null))
        .hasMessageEndingWith("is not a mirror: it has no .egress-mirror.json");
    assertThat(folder.resolve("nothing")).doesNotExist();
  }

  private static void refuses(Path root, @Nullable MirrorFormat format, String message) {
    assertThatThrownBy(() -> MirrorFolder.open(root, format, FileOperations.REAL))
        .isInstanceOf(MirrorException.class)
        .hasMessage(message);
  }

  private List<String> names() throws IOException {
    try (Stream<Path> entries = Files.list(folder)) {
      return entries.map(entry -> entry.getFileName().toString()).toList();
    }
  }
}
