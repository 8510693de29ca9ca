package io.egress.cli.mirror;

import java.io.IOException;
import java.nio.file.InvalidPathException;
import java.nio.file.Path;
import org.jspecify.annotations.Nullable;

/** A folder. */
record FolderLocation(Path root, FileOperations files) implements MirrorLocation {
  FolderLocation(String to) {
    this(path(to), FileOperations.REAL);
  }

  private static Path path(String to) {
    if (to.isEmpty()) {
      throw new IllegalArgumentException("--to names no folder");
    }
    try {
      return Path.of(to);
    } catch (InvalidPathException notOne) {
      throw new IllegalArgumentException("--to names no folder: " + to, notOne);
    }
  }

  @Override
  public String name() {
    return root.toString();
  }

  @Override
  public MirrorStore open(@Nullable MirrorFormat format) throws IOException {
    return MirrorFolder.open(root, format, files);
  }

  @Override
  public Copies look(@Nullable MirrorFormat format) throws IOException {
    return MirrorFolder.look(root, format);
  }
}
