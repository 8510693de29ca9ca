package io.egress.cli.mirror;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.egress.cli.mirror.InterruptedFiles.Killed;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.TreeMap;
import java.util.UUID;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/** Mirrors of a workspace in memory. */
class MirrorModelTest {
  private static final int HISTORIES = 20;
  private static final int RUNS = 12;
  private static final int OPERATIONS_MAX = 60;

  private final Path folder;

  MirrorModelTest(@TempDir Path folder) {
    this.folder = folder.resolve("copy");
  }

  /** Whatever happens to the workspace, and wherever a run is killed. */
  @ParameterizedTest
  @EnumSource
  void theNextRunMakesTheFolderRight(MirrorFormat format) throws Exception {
    long seed = System.nanoTime();
    for (int i = 0; i < HISTORIES; i++) {
      Random random = new Random(seed + i);
      Path copy = folder.resolve(Integer.toString(i));
      Files.createDirectories(folder);
      WorkspaceModel workspace = new WorkspaceModel(random);
      for (int run = 0; run < RUNS; run++) {
        for (int acts = random.nextInt(6); acts > 0; acts--) {
          workspace.act();
        }
        workspace.keepBusy(true);
        runUntilKilled(workspace, copy, format, random.nextInt(OPERATIONS_MAX), false);
        workspace.keepBusy(false);
      }

      run(workspace, copy, format, false);

      assertThat(files(copy)).as("seed %s", seed + i).isEqualTo(workspace.files(format));
      assertThat(check(workspace, copy)).containsExactly(whole(workspace));
    }
  }

  /** A folder in any state, and a service that was restored. */
  @Test
  void repairMakesTheFolderRightWhereverItIsKilled() throws Exception {
    long seed = System.nanoTime();
    for (int i = 0; i < HISTORIES; i++) {
      Random random = new Random(seed + i);
      Path copy = folder.resolve(Integer.toString(i));
      Files.createDirectories(folder);
      WorkspaceModel workspace = new WorkspaceModel(random);
      UUID first = workspace.enter();
      for (int acts = 0; acts < 20; acts++) {
        workspace.act();
      }
      run(workspace, copy, MirrorFormat.JSON, false);
      workspace.change(first);
      workspace.enter();
      workspace.restore();
      assertThatThrownBy(() -> run(workspace, copy, MirrorFormat.JSON, false))
          .isInstanceOf(MirrorException.class)
          .hasMessageContaining("--repair");
      for (Path file : captures(copy)) {
        if (random.nextInt(3) == 0) {
          Files.delete(file);
        } else if (random.nextInt(3) == 0) {
          Files.writeString(file, "{}");
        }
      }

      runUntilKilled(workspace, copy, MirrorFormat.JSON, random.nextInt(OPERATIONS_MAX), true);
      run(workspace, copy, MirrorFormat.JSON, !isRepairing(copy));

      assertThat(files(copy)).as("seed %s", seed + i).isEqualTo(workspace.files(MirrorFormat.JSON));
      assertThat(check(workspace, copy)).containsExactly(whole(workspace));
    }
  }

  @Test
  void checkPrintsEachDifference() throws Exception {
    WorkspaceModel workspace = new WorkspaceModel(new Random(1));
    for (int i = 0; i < 6; i++) {
      workspace.enter();
    }
    run(workspace, folder, MirrorFormat.MARKDOWN, false);
    List<Path> copies = captures(folder);
    Path deleted = copies.get(0);
    Path edited = copies.get(1);
    Path truncated = copies.get(2);
    Path touched = copies.get(3);
    Path outdated = copies.get(4);
    Files.delete(deleted);
    Files.writeString(edited, Files.readString(edited).replace("Hello.", "Good bye."));
    Files.writeString(truncated, "---\n");
    Files.writeString(touched, Files.readString(touched));
    workspace.pass(Duration.ofSeconds(30));
    workspace.change(id(outdated));
    Path erased = copies.get(5);
    workspace.erase(id(erased));
    Path note = Files.writeString(folder.resolve("notes.txt"), "mine");
    Files.writeString(folder.resolve(".hidden"), "not looked at");

    assertThat(check(workspace, folder))
        .containsExactlyInAnyOrder(
            "missing      " + id(deleted),
            "stale        " + folder.relativize(edited),
            "stale        " + folder.relativize(truncated),
            "stale        " + folder.relativize(outdated),
            "superfluous  " + folder.relativize(erased),
            "superfluous  " + folder.relativize(note),
            "1 missing, 3 stale, 2 superfluous; the workspace has 5 captures");

    Files.delete(note);
    try (Mirror mirror = open(workspace, folder, null, FileOperations.REAL)) {
      mirror.repair();
      mirror.run();
      assertThat(mirror.summary()).isEqualTo("1 new, 3 changed, 1 deleted; 5 captures");
    }
    assertThat(check(workspace, folder)).containsExactly(whole(workspace));
  }

  @Test
  void aFileInTheWayIsLeftAlone() throws Exception {
    WorkspaceModel workspace = new WorkspaceModel(new Random(7));
    run(workspace, folder, MirrorFormat.JSON, false);
    workspace.enter();
    String year = workspace.files(MirrorFormat.JSON).keySet().iterator().next().substring(0, 4);
    Path file = Files.writeString(folder.resolve(year), "mine");

    assertThatThrownBy(() -> run(workspace, folder, null, false))
        .isInstanceOf(MirrorException.class)
        .hasMessage("Cannot use %s: %s is not a folder", folder, file);

    assertThat(file).hasContent("mine");
    Files.delete(file);
    run(workspace, folder, null, false);
    assertThat(check(workspace, folder)).containsExactly(whole(workspace));
  }

  @Test
  void readsTheStreamToItsEndAndThenTheChanges() {
    WorkspaceModel workspace = new WorkspaceModel(new Random(6));
    for (int i = 0; i < 20; i++) {
      workspace.change(workspace.enter());
    }

    run(workspace, folder, MirrorFormat.JSON, false);

    assertThat(workspace.pages()).isSorted().contains(MirrorFeed.STREAM, MirrorFeed.CHANGES);
  }

  @Test
  void whatIsReadAgainIsNotCountedAgain() {
    WorkspaceModel workspace = new WorkspaceModel(new Random(2));
    UUID id = workspace.enter();
    workspace.change(id);
    workspace.enter();

    try (Mirror mirror = open(workspace, folder, MirrorFormat.JSON, FileOperations.REAL)) {
      mirror.run();
      assertThat(mirror.summary()).isEqualTo("2 new, 0 changed, 0 deleted; 2 captures");
    }
    workspace.change(id);
    workspace.erase(workspace.enter());
    try (Mirror mirror = open(workspace, folder, null, FileOperations.REAL)) {
      mirror.run();
      assertThat(mirror.summary()).isEqualTo("0 new, 1 changed, 0 deleted; 2 captures");
    }
  }

  @Test
  void aKeyOfAnotherWorkspaceChangesNothing() throws Exception {
    WorkspaceModel workspace = new WorkspaceModel(new Random(3));
    workspace.enter();
    run(workspace, folder, MirrorFormat.JSON, false);
    Map<String, String> before = files(folder);
    WorkspaceModel other = new WorkspaceModel(new Random(4));
    other.restore();
    other.enter();

    for (boolean repair : new boolean[] {false, true}) {
      assertThatThrownBy(() -> run(other, folder, null, repair))
          .isInstanceOf(MirrorException.class)
          .hasMessageContaining("EGRESS_API_KEY is a key of workspace " + other.workspace())
          .hasMessageContaining("is a mirror of workspace " + workspace.workspace());
    }
    assertThatThrownBy(() -> check(other, folder)).hasMessageContaining("EGRESS_API_KEY");
    WorkspaceModel empty = new WorkspaceModel(new Random(5));
    assertThatThrownBy(() -> run(empty, folder, null, true))
        .hasMessageContaining("The workspace has no captures");

    assertThat(files(folder)).isEqualTo(before);
    run(workspace, folder, null, false);
    assertThat(check(workspace, folder)).containsExactly(whole(workspace));
  }

  private static boolean isRepairing(Path copy) throws IOException {
    return MirrorState.parse(Files.readAllBytes(copy.resolve(MirrorState.FILE))).repairing();
  }

  private static UUID id(Path file) {
    return UUID.fromString(file.getFileName().toString().replaceFirst("\\..*", ""));
  }

  private static String whole(WorkspaceModel workspace) {
    int captures = workspace.inventory().size();
    return "0 missing, 0 stale, 0 superfluous; the workspace has %d %s"
        .formatted(captures, captures == 1 ? "capture" : "captures");
  }

  private static Mirror open(
      WorkspaceModel workspace, Path copy, @Nullable MirrorFormat format, FileOperations files) {
    return Mirror.open(workspace, new FolderLocation(copy, files), format, _ -> {});
  }

  private static void run(
      WorkspaceModel workspace, Path copy, @Nullable MirrorFormat format, boolean repair) {
    run(workspace, copy, format, new InterruptedFiles(Integer.MAX_VALUE), repair);
  }

  private static void run(
      WorkspaceModel workspace,
      Path copy,
      @Nullable MirrorFormat format,
      FileOperations files,
      boolean repair) {
    try (Mirror mirror = open(workspace, copy, format, files)) {
      if (repair) {
        mirror.repair();
      }
      mirror.run();
    }
  }

  private static void runUntilKilled(
      WorkspaceModel workspace,
      Path copy,
      @Nullable MirrorFormat format,
      int operations,
      boolean repair) {
    try {
      run(workspace, copy, format, new InterruptedFiles(operations), repair);
    } catch (Killed killed) {
      // As intended.
    } catch (MirrorException otherHistory) {
      assertThat(otherHistory).hasMessageContaining("--repair");
      assertThat(repair).as("killed before it had begun").isTrue();
    }
  }

  private static List<String> check(WorkspaceModel workspace, Path copy) {
    List<String> lines = new ArrayList<>();
    MirrorCheck.run(
        (CaptureSource) workspace,
        new FolderLocation(copy, FileOperations.REAL),
        null,
        _ -> {},
        lines::add);
    return lines;
  }

  private static List<Path> captures(Path copy) throws IOException {
    try (Stream<Path> all = Files.walk(copy)) {
      return all.filter(Files::isRegularFile)
          .filter(file -> !copy.relativize(file).toString().startsWith("."))
          .sorted()
          .toList();
    }
  }

  /** All that is there, but for the state; empty folders, too. */
  private static Map<String, String> files(Path copy) throws IOException {
    Map<String, String> files = new TreeMap<>();
    for (Path file : captures(copy)) {
      files.put(
          copy.relativize(file).toString(), WorkspaceModel.withoutEmission(Files.readString(file)));
    }
    try (Stream<Path> all = Files.walk(copy)) {
      for (Path path : all.toList()) {
        if (Files.isDirectory(path)) {
          try (Stream<Path> entries = Files.list(path)) {
            if (entries.findAny().isEmpty()) {
              files.put(copy.relativize(path) + "/", "empty");
            }
          }
        } else if (copy.relativize(path).toString().startsWith(".")) {
          assertThat(copy.relativize(path).toString())
              .isIn(MirrorState.FILE, ".egress-mirror.tmp/lock");
        }
      }
    }
    return files;
  }
}
