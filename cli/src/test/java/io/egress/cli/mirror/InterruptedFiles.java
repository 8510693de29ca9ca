package io.egress.cli.mirror;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.FileTime;
import java.time.Instant;
import java.util.Arrays;
import java.util.HashSet;
import java.util.Set;

/**
 * Real files, not forced to disk, that stop working before or within the nth operation, as for a
 * process that is killed. Requires that a state is written only after what it covers is durable.
 */
final class InterruptedFiles implements FileOperations {
  static final class Killed extends RuntimeException {
    private static final long serialVersionUID = 1L;
  }

  private final Set<Path> unforced = new HashSet<>();
  private int left;

  InterruptedFiles(int operations) {
    left = operations;
  }

  private void step() {
    if (--left < 0) {
      throw new Killed();
    }
  }

  @Override
  public void createFolder(Path folder) throws IOException {
    step();
    REAL.createFolder(folder);
    if (!folder.endsWith(".egress-mirror.tmp")) {
      unforced.add(folder.getParent());
    }
  }

  @Override
  public void write(Path file, byte[] content, Instant modified) throws IOException {
    if (left == 0) {
      Files.write(file, Arrays.copyOf(content, content.length / 2));
    }
    step();
    Files.write(file, content);
    Files.setLastModifiedTime(file, FileTime.from(modified));
  }

  @Override
  public void move(Path from, Path to) throws IOException {
    step();
    if (to.endsWith(MirrorState.FILE)) {
      assertThat(unforced).as("changed before the state and not durable").isEmpty();
    }
    REAL.move(from, to);
    unforced.add(to.getParent());
  }

  @Override
  public void delete(Path file) throws IOException {
    step();
    REAL.delete(file);
    if (!file.toString().contains(".egress-mirror.tmp")) {
      unforced.add(file.getParent());
    }
  }

  @Override
  public boolean deleteFolder(Path folder) throws IOException {
    step();
    boolean deleted = REAL.deleteFolder(folder);
    if (deleted) {
      unforced.remove(folder);
      unforced.add(folder.getParent());
    }
    return deleted;
  }

  @Override
  public void force(Path folder) throws IOException {
    step();
    unforced.remove(folder);
  }
}
