package io.egress.cli.mirror;

import static java.nio.file.StandardOpenOption.CREATE;
import static java.nio.file.StandardOpenOption.READ;
import static java.nio.file.StandardOpenOption.TRUNCATE_EXISTING;
import static java.nio.file.StandardOpenOption.WRITE;

import java.io.File;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.channels.FileChannel;
import java.nio.file.DirectoryNotEmptyException;
import java.nio.file.FileAlreadyExistsException;
import java.nio.file.FileSystems;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.nio.file.attribute.FileAttribute;
import java.nio.file.attribute.FileTime;
import java.nio.file.attribute.PosixFilePermissions;
import java.time.Instant;
import java.util.Set;

/** File operations that survive a loss of power. What they make is only for its user. */
final class DurableFiles implements FileOperations {
  static final FileAttribute<?>[] FOLDER = only("rwx------");
  static final FileAttribute<?>[] FILE = only("rw-------");

  /** Windows cannot open a folder, and keeps the names in it without that. */
  private static final boolean OPENS_FOLDERS = File.separatorChar == '/';

  /** None on file systems of Windows, where the folder's own rules hold. */
  private static FileAttribute<?>[] only(String permissions) {
    return FileSystems.getDefault().supportedFileAttributeViews().contains("posix")
        ? new FileAttribute<?>[] {
          PosixFilePermissions.asFileAttribute(PosixFilePermissions.fromString(permissions))
        }
        : new FileAttribute<?>[0];
  }

  @Override
  public void createFolder(Path folder) throws IOException {
    try {
      Files.createDirectory(folder, FOLDER);
    } catch (FileAlreadyExistsException exists) {
      if (!Files.isDirectory(folder)) {
        throw exists;
      }
    }
  }

  @Override
  public void write(Path file, byte[] content, Instant modified) throws IOException {
    try (FileChannel channel =
        FileChannel.open(file, Set.of(CREATE, WRITE, TRUNCATE_EXISTING), FILE)) {
      for (ByteBuffer rest = ByteBuffer.wrap(content); rest.hasRemaining(); ) {
        channel.write(rest);
      }
      Files.setLastModifiedTime(file, FileTime.from(modified));
      channel.force(true);
    }
  }

  @Override
  public void move(Path from, Path to) throws IOException {
    Files.move(from, to, StandardCopyOption.ATOMIC_MOVE, StandardCopyOption.REPLACE_EXISTING);
  }

  @Override
  public void delete(Path file) throws IOException {
    Files.deleteIfExists(file);
  }

  @Override
  public boolean deleteFolder(Path folder) throws IOException {
    try {
      Files.deleteIfExists(folder);
      return true;
    } catch (DirectoryNotEmptyException inUse) {
      return false;
    }
  }

  @Override
  public void force(Path folder) throws IOException {
    if (OPENS_FOLDERS) {
      try (FileChannel channel = FileChannel.open(folder, READ)) {
        channel.force(true);
      }
    }
  }
}
