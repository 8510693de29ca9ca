package io.egress.cli;

import io.egress.webhook.endpoint.SecretBox;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.nio.file.attribute.PosixFilePermissions;
import java.security.SecureRandom;
import java.util.HexFormat;
import java.util.Map;
import java.util.Optional;
import java.util.function.Consumer;
import java.util.function.Supplier;

/**
 * A secret setting of an installation that was not given one: generated once and stored in the data
 * folder.
 */
public final class StoredSecret {
  public static final StoredSecret INTERNAL_TOKEN =
      new StoredSecret("EGRESS_INTERNAL_TOKEN", "internal-token", StoredSecret::randomToken);
  public static final StoredSecret SECRET_KEY =
      new StoredSecret("EGRESS_SECRET_KEY", "secret-key", SecretBox::newKey);

  private static final int TOKEN_RANDOM_BYTES = 24;

  private final String setting;
  private final String file;
  private final Supplier<String> maker;

  private StoredSecret(String setting, String file, Supplier<String> maker) {
    this.setting = setting;
    this.file = file;
    this.maker = maker;
  }

  public String setting() {
    return setting;
  }

  public Path file(Path dataDir) {
    return dataDir.resolve(file);
  }

  /** Leaves a given setting unchanged. {@code made} is called if a secret was generated. */
  public void complete(Map<String, String> environment, Path dataDir, Consumer<String> made) {
    if (environment.getOrDefault(setting, "").isBlank()) {
      environment.put(setting, in(dataDir, made));
    }
  }

  Optional<String> existing(Path dataDir) {
    Path stored = file(dataDir);
    try {
      return Files.exists(stored)
          ? Optional.of(Files.readString(stored).strip())
          : Optional.empty();
    } catch (IOException failure) {
      throw new UncheckedIOException(setting + " cannot be read from " + stored, failure);
    }
  }

  private String in(Path dataDir, Consumer<String> made) {
    Optional<String> existing = existing(dataDir);
    if (existing.isPresent()) {
      return existing.get();
    }
    String secret = maker.get();
    try {
      keep(dataDir, secret);
    } catch (IOException failure) {
      throw new UncheckedIOException(setting + " cannot be stored in " + file(dataDir), failure);
    }
    made.accept(secret);
    return secret;
  }

  /**
   * Writes the file completely and durably, or not at all: data encrypted with a key that is lost
   * in a crash would be lost, too.
   */
  private void keep(Path dataDir, String secret) throws IOException {
    Files.createDirectories(dataDir);
    Path draft =
        Files.createTempFile(
            dataDir,
            file,
            ".draft",
            PosixFilePermissions.asFileAttribute(PosixFilePermissions.fromString("rw-------")));
    try {
      Files.writeString(draft, secret + "\n", StandardOpenOption.SYNC);
      Files.move(draft, file(dataDir));
    } finally {
      Files.deleteIfExists(draft);
    }
  }

  private static String randomToken() {
    byte[] bytes = new byte[TOKEN_RANDOM_BYTES];
    new SecureRandom().nextBytes(bytes);
    return HexFormat.of().formatHex(bytes);
  }
}
