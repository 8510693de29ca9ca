package io.egress.standalone;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import java.security.SecureRandom;
import java.util.HexFormat;
import java.util.Optional;
import java.util.function.Consumer;

/**
 * The internal token of an installation that was given none: made once, kept in the data folder.
 */
final class KeptToken {
  private static final String FILE = "internal-token";
  private static final int RANDOM_BYTES = 24;

  private KeptToken() {}

  /** {@code made} is told of a token that did not exist before. */
  static String in(Path dataDir, Consumer<String> made) {
    Path file = dataDir.resolve(FILE);
    try {
      Optional<String> existing = existing(dataDir);
      if (existing.isPresent()) {
        return existing.get();
      }
      String token = random();
      Files.createDirectories(dataDir);
      Files.createFile(
          file, PosixFilePermissions.asFileAttribute(PosixFilePermissions.fromString("rw-------")));
      Files.writeString(file, token + "\n");
      made.accept(token);
      return token;
    } catch (IOException failure) {
      throw new UncheckedIOException("cannot keep the internal token in " + file, failure);
    }
  }

  static Optional<String> existing(Path dataDir) {
    Path file = dataDir.resolve(FILE);
    try {
      return Files.exists(file) ? Optional.of(Files.readString(file).strip()) : Optional.empty();
    } catch (IOException failure) {
      throw new UncheckedIOException("cannot read the internal token in " + file, failure);
    }
  }

  static String random() {
    byte[] bytes = new byte[RANDOM_BYTES];
    new SecureRandom().nextBytes(bytes);
    return HexFormat.of().formatHex(bytes);
  }
}
