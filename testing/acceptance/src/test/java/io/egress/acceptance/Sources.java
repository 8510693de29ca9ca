package io.egress.acceptance;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.stream.Stream;

/** The files that this project is built from. */
final class Sources {
  private static final Path ROOT = Path.of("..", "..");

  private Sources() {}

  /**
   * Those whose names end with {@code end}, of tests and tools, too. What was built has none: a
   * release that torture has built lies there with its sources.
   */
  static List<Path> all(String end) {
    try (Stream<Path> files = Files.walk(ROOT)) {
      return files
          .filter(file -> file.toString().endsWith(end))
          .filter(file -> file.toString().contains("/src/"))
          .filter(file -> !file.toString().contains("/target/"))
          .toList();
    } catch (IOException failure) {
      throw new UncheckedIOException(failure);
    }
  }

  static List<Path> ofProduct(String end) {
    return all(end).stream()
        .filter(file -> file.toString().contains("/src/main/"))
        .filter(file -> !file.toString().contains("/testing/"))
        .toList();
  }

  static String read(Path file) {
    try {
      return Files.readString(file);
    } catch (IOException failure) {
      throw new UncheckedIOException(failure);
    }
  }
}
