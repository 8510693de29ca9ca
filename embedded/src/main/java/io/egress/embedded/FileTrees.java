package io.egress.embedded;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.FileVisitResult;
import java.nio.file.FileVisitor;
import java.nio.file.Files;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.nio.file.SimpleFileVisitor;
import java.nio.file.attribute.BasicFileAttributes;
import java.nio.file.attribute.UserPrincipal;
import org.jspecify.annotations.Nullable;

/** Operations on a folder and everything below it. Links are never followed. */
public final class FileTrees {
  private interface Step {
    void apply(Path path) throws IOException;
  }

  private FileTrees() {}

  public static void delete(Path folder) {
    deepestFirst(folder, Files::deleteIfExists);
  }

  /** The folder itself comes last, so its owner shows whether everything below it is done. */
  static void setOwner(Path folder, UserPrincipal owner) {
    deepestFirst(folder, path -> Files.setOwner(path, owner));
  }

  private static void deepestFirst(Path folder, Step step) {
    FileVisitor<Path> visitor =
        new SimpleFileVisitor<>() {
          @Override
          public FileVisitResult visitFile(Path file, BasicFileAttributes attributes)
              throws IOException {
            step.apply(file);
            return FileVisitResult.CONTINUE;
          }

          @Override
          public FileVisitResult visitFileFailed(Path file, IOException failure)
              throws IOException {
            if (failure instanceof NoSuchFileException) {
              return FileVisitResult.CONTINUE;
            }
            throw failure;
          }

          @Override
          public FileVisitResult postVisitDirectory(Path visited, @Nullable IOException failure)
              throws IOException {
            if (failure != null) {
              throw failure;
            }
            step.apply(visited);
            return FileVisitResult.CONTINUE;
          }
        };
    try {
      Files.walkFileTree(folder, visitor);
    } catch (IOException failure) {
      throw new UncheckedIOException(failure);
    }
  }
}
