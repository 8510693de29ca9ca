package io.egress.embedded;

import static java.nio.charset.StandardCharsets.UTF_8;
import static java.nio.file.StandardOpenOption.CREATE;
import static java.nio.file.StandardOpenOption.READ;
import static java.nio.file.StandardOpenOption.WRITE;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.ByteBuffer;
import java.nio.channels.FileChannel;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Instant;
import java.time.temporal.ChronoUnit;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import org.jspecify.annotations.Nullable;

/**
 * A lock on a data folder, held by one process at a time. The operating system releases it when the
 * process ends.
 */
public final class DataDirectoryLock implements AutoCloseable {
  static final String FILE_NAME = "lock";
  private static final int OWNER_LENGTH_BYTES_MAX = 256;

  // POSIX releases all of a process' locks on a file when it closes any channel to it, so this
  // process must not open the file a second time, not even to read it.
  private static final Set<Path> HELD_HERE = ConcurrentHashMap.newKeySet();

  private final Path folder;
  private final FileChannel channel;

  private DataDirectoryLock(Path folder, FileChannel channel) {
    this.folder = folder;
    this.channel = channel;
  }

  /** Creates a missing folder. Refuses one that is in use, and names its holder. */
  public static DataDirectoryLock acquire(Path folder) {
    Path real = created(folder);
    if (!HELD_HERE.add(real)) {
      throw inUse(real, "this process, " + ProcessHandle.current().pid());
    }
    DataDirectoryLock lock = null;
    try {
      lock = lockedOrRefused(real);
      return lock;
    } finally {
      if (lock == null) {
        HELD_HERE.remove(real);
      }
    }
  }

  static Optional<DataDirectoryLock> tryAcquire(Path folder) {
    try {
      return Optional.of(acquire(folder));
    } catch (EmbeddedBackendException inUse) {
      return Optional.empty();
    }
  }

  private static Path created(Path folder) {
    try {
      return Files.createDirectories(folder).toRealPath();
    } catch (IOException failure) {
      throw new EmbeddedBackendException(
          "The data folder " + folder.toAbsolutePath() + " cannot be created: " + failure, failure);
    }
  }

  private static DataDirectoryLock lockedOrRefused(Path folder) {
    Path file = folder.resolve(FILE_NAME);
    FileChannel channel = null;
    boolean locked = false;
    try {
      channel = FileChannel.open(file, CREATE, READ, WRITE);
      locked = channel.tryLock() != null;
      if (!locked) {
        throw inUse(folder, owner(channel));
      }
      writeOwner(channel);
      return new DataDirectoryLock(folder, channel);
    } catch (IOException failure) {
      throw new EmbeddedBackendException("Cannot lock " + file + ": " + failure, failure);
    } finally {
      if (!locked) {
        closeQuietly(channel);
      }
    }
  }

  private static void writeOwner(FileChannel channel) throws IOException {
    String owner =
        "process %d since %s%n"
            .formatted(
                ProcessHandle.current().pid(), Instant.now().truncatedTo(ChronoUnit.SECONDS));
    channel.truncate(0);
    channel.write(ByteBuffer.wrap(owner.getBytes(UTF_8)), 0);
  }

  private static String owner(FileChannel channel) throws IOException {
    ByteBuffer bytes = ByteBuffer.allocate(OWNER_LENGTH_BYTES_MAX);
    channel.read(bytes, 0);
    String owner = UTF_8.decode(bytes.flip()).toString().strip();
    return owner.isEmpty() ? "another process" : owner;
  }

  private static EmbeddedBackendException inUse(Path folder, String owner) {
    return new EmbeddedBackendException(
        "The data folder %s is in use by %s. Stop that process, or name another folder."
            .formatted(folder, owner));
  }

  private static void closeQuietly(@Nullable FileChannel channel) {
    try {
      if (channel != null) {
        channel.close();
      }
    } catch (IOException ignored) {
      // Nothing was written that closing could lose.
    }
  }

  /** The folder without symbolic links, as its servers see it. */
  public Path folder() {
    return folder;
  }

  @Override
  public void close() {
    if (!channel.isOpen()) {
      return;
    }
    try {
      channel.close();
    } catch (IOException failure) {
      throw new UncheckedIOException(failure);
    } finally {
      HELD_HERE.remove(folder);
    }
  }
}
