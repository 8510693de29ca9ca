package io.egress.testing;

import io.egress.embedded.Command;
import java.io.IOException;
import java.io.OutputStream;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Optional;

/** A file system of limited size that tests can fill up. Only root can mount one. */
public final class SmallDisk implements AutoCloseable {
  private static final Duration COMMAND_MAX = Duration.ofSeconds(10);
  private static final int BLOCK_BYTES = 1 << 20;

  private final Path folder;
  private final Path ballast;

  private SmallDisk(Path folder) {
    this.folder = folder;
    this.ballast = folder.resolve("ballast");
  }

  /** Mounts over {@code folder}, which must exist. Empty if this process may not mount. */
  public static Optional<SmallDisk> mount(Path folder, int megabytes) {
    String options = "size=%dm,mode=755".formatted(megabytes);
    boolean mounted =
        run(folder, "mount", "-t", "tmpfs", "-o", options, "tmpfs", folder.toString());
    return mounted ? Optional.of(new SmallDisk(folder)) : Optional.empty();
  }

  /** Writes until the disk is full. */
  public void fill() throws IOException {
    byte[] block = new byte[BLOCK_BYTES];
    try (OutputStream out = Files.newOutputStream(ballast)) {
      while (true) {
        out.write(block);
      }
    } catch (IOException full) {
      if (!Files.exists(ballast)) {
        throw full;
      }
    }
  }

  /** Removes what {@link #fill} wrote. */
  public void free() throws IOException {
    Files.deleteIfExists(ballast);
  }

  /** Unmounts lazily, so open files do not prevent it. */
  @Override
  public void close() {
    run(folder.toAbsolutePath().getRoot(), "umount", "--lazy", folder.toString());
  }

  private static boolean run(Path directory, String... command) {
    try {
      return Command.run(directory, COMMAND_MAX, List.of(command)).succeeded();
    } catch (UncheckedIOException failure) {
      return false;
    }
  }
}
