package io.egress.embedded;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.DirectoryStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import java.nio.file.attribute.UserPrincipal;
import java.time.Duration;
import java.time.Instant;
import java.util.Optional;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Temporary data folders. A killed process leaves its folder and its PostgreSQL behind; the next
 * one that creates a folder cleans up.
 */
final class ScratchFolder {
  private static final Logger log = LoggerFactory.getLogger(ScratchFolder.class);
  private static final String PREFIX = "egress-scratch-";

  // A folder looks abandoned until it is locked.
  private static final Duration YOUNG = Duration.ofMinutes(1);

  private ScratchFolder() {}

  static Path create() {
    try {
      Path parent = Path.of(System.getProperty("java.io.tmpdir"));
      Path folder = Files.createTempDirectory(parent, PREFIX);
      // An unprivileged user must pass through to its PostgreSQL data when this process is root.
      Files.setPosixFilePermissions(folder, PosixFilePermissions.fromString("rwx--x--x"));
      deleteAbandoned(parent, Files.getOwner(folder), Instant.now().minus(YOUNG));
      return folder;
    } catch (IOException failure) {
      throw new UncheckedIOException(failure);
    }
  }

  static void deleteAbandoned(Path parent, UserPrincipal self, Instant madeBefore)
      throws IOException {
    try (DirectoryStream<Path> folders = Files.newDirectoryStream(parent, PREFIX + "*")) {
      for (Path folder : folders) {
        deleteIfAbandoned(folder, self, madeBefore);
      }
    }
  }

  private static void deleteIfAbandoned(Path folder, UserPrincipal self, Instant madeBefore) {
    try {
      if (!Files.getOwner(folder).equals(self)
          || Files.getLastModifiedTime(folder).toInstant().isAfter(madeBefore)) {
        return;
      }
      Optional<DataDirectoryLock> lock = DataDirectoryLock.tryAcquire(folder);
      if (lock.isPresent()) {
        try (DataDirectoryLock held = lock.get()) {
          Optional<Postmaster> leftBehind =
              Postmaster.of(
                  new PostgresFolder(held.folder().resolve(EmbeddedBackends.POSTGRES)).data());
          leftBehind.ifPresent(Postmaster::stopAtOnce);
          FileTrees.delete(held.folder());
        }
        log.info("Deleted {}, which a killed process left behind", folder);
      }
    } catch (IOException | UncheckedIOException | EmbeddedBackendException gone) {
      log.debug("{} is left alone: {}", folder, gone.toString());
    }
  }
}
