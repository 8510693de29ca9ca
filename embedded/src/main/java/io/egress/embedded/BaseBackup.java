package io.egress.embedded;

import java.io.IOException;
import java.nio.file.FileVisitResult;
import java.nio.file.Files;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.nio.file.SimpleFileVisitor;
import java.nio.file.StandardCopyOption;
import java.nio.file.attribute.BasicFileAttributes;
import java.sql.Connection;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import java.util.Set;

/**
 * A copy of a running server's data folder, taken by PostgreSQL's low-level backup functions: the
 * embedded binaries lack {@code pg_basebackup}. The log written meanwhile is streamed afterwards.
 */
record BaseBackup(DatabaseAddress address, Path data) {
  private static final String START = "select pg_backup_start('standby', fast => true)";
  private static final String STOP =
      "select labelfile from pg_backup_stop(wait_for_archive => false)";

  /** Of the running process, or made anew by a standby. */
  private static final Set<String> LEFT_OUT =
      Set.of("postmaster.pid", "postmaster.opts", "pg_replslot", "pg_stat_tmp");

  static BaseBackup of(DatabaseAddress address, Path data) {
    return new BaseBackup(address, data);
  }

  void copyTo(Path target) throws IOException {
    try (Connection connection = address.connect();
        Statement statement = connection.createStatement()) {
      statement.executeQuery(START).close();
      copyFiles(data, target);
      try (ResultSet stopped = statement.executeQuery(STOP)) {
        stopped.next();
        Files.writeString(target.resolve("backup_label"), stopped.getString(1));
      }
    } catch (SQLException failure) {
      throw new IOException("cannot copy the data of " + address, failure);
    }
  }

  /** Without what belongs to a running server, or to those that follow it. */
  static void copyFiles(Path data, Path target) throws IOException {
    Files.walkFileTree(
        data,
        new SimpleFileVisitor<>() {
          @Override
          public FileVisitResult preVisitDirectory(Path folder, BasicFileAttributes attributes)
              throws IOException {
            if (isLeftOut(folder)) {
              return FileVisitResult.SKIP_SUBTREE;
            }
            Path copy = Files.createDirectories(target.resolve(data.relativize(folder)));
            Files.setPosixFilePermissions(copy, Files.getPosixFilePermissions(folder));
            return FileVisitResult.CONTINUE;
          }

          @Override
          public FileVisitResult visitFile(Path file, BasicFileAttributes attributes)
              throws IOException {
            if (!isLeftOut(file)) {
              copy(file, target.resolve(data.relativize(file)));
            }
            return FileVisitResult.CONTINUE;
          }

          @Override
          public FileVisitResult visitFileFailed(Path file, IOException failure) {
            return FileVisitResult.CONTINUE;
          }
        });
    Files.createDirectories(target.resolve("pg_replslot"));
  }

  private static boolean isLeftOut(Path path) {
    return LEFT_OUT.contains(path.getFileName().toString());
  }

  /** Files of a running server may vanish. */
  private static void copy(Path file, Path copy) throws IOException {
    try {
      Files.copy(file, copy, StandardCopyOption.COPY_ATTRIBUTES);
    } catch (NoSuchFileException vanished) {
      Files.deleteIfExists(copy);
    }
  }
}
