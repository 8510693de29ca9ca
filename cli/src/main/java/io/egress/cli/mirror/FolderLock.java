package io.egress.cli.mirror;

import java.io.IOException;
import java.nio.channels.FileChannel;
import java.nio.channels.OverlappingFileLockException;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.util.Set;

/** Keeps a second process away from a folder. The system releases it when the process ends. */
final class FolderLock implements AutoCloseable {
  private final FileChannel channel;

  private FolderLock(FileChannel channel) {
    this.channel = channel;
  }

  /** Does nothing on file systems without locks. */
  static FolderLock take(Path root, Path file) throws IOException {
    FileChannel channel =
        FileChannel.open(
            file, Set.of(StandardOpenOption.CREATE, StandardOpenOption.WRITE), DurableFiles.FILE);
    if (!isAlone(channel)) {
      channel.close();
      throw new MirrorException("Another egress mirror keeps %s current".formatted(root));
    }
    return new FolderLock(channel);
  }

  private static boolean isAlone(FileChannel channel) {
    try {
      return channel.tryLock() != null;
    } catch (OverlappingFileLockException ofThisProcess) {
      return false;
    } catch (IOException unsupported) {
      return true;
    }
  }

  @Override
  public void close() throws IOException {
    channel.close();
  }
}
