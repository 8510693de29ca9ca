package io.egress.embedded;

import static java.nio.file.StandardCopyOption.ATOMIC_MOVE;
import static java.nio.file.StandardOpenOption.CREATE;
import static java.nio.file.StandardOpenOption.WRITE;

import java.io.BufferedInputStream;
import java.io.IOException;
import java.io.InputStream;
import java.net.JarURLConnection;
import java.net.URL;
import java.nio.channels.FileChannel;
import java.nio.channels.FileLock;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import java.time.Duration;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.apache.commons.compress.archivers.tar.TarArchiveEntry;
import org.apache.commons.compress.archivers.tar.TarArchiveInputStream;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import org.tukaani.xz.XZInputStream;

/** PostgreSQL's programs for this machine, unpacked from the class path once and then kept. */
record PostgresBinaries(Path home) {
  private static final Logger log = LoggerFactory.getLogger(PostgresBinaries.class);
  private static final Pattern VERSION = Pattern.compile("\\) (\\d+)");
  private static final Duration VERSION_LIMIT = Duration.ofSeconds(30);
  private static final int BUFFER_BYTES = 1 << 16;
  private static final Map<String, String> ARCHITECTURES =
      Map.of("amd64", "x86_64", "x86_64", "x86_64", "aarch64", "arm_64", "arm64", "arm_64");

  Path initdb() {
    return home.resolve("bin/initdb");
  }

  Path pgCtl() {
    return home.resolve("bin/pg_ctl");
  }

  /** Such as 17. */
  String majorVersion() {
    Path program = home.resolve("bin/postgres");
    String printed =
        Command.run(home, VERSION_LIMIT, List.of(program.toString(), "--version")).output();
    Matcher version = VERSION.matcher(printed);
    if (!version.find()) {
      throw new EmbeddedBackendException(program + " does not print its version: " + printed);
    }
    return version.group(1);
  }

  /** Safe for concurrent processes and threads. */
  static synchronized PostgresBinaries unpacked() {
    URL archive = archive(System.getProperty("os.name"), System.getProperty("os.arch"));
    try {
      Path cache = UserCache.folder();
      Path home = cache.resolve(folderName(archive));
      if (!Files.exists(home)) {
        try (FileChannel channel = FileChannel.open(cache.resolve("lock"), CREATE, WRITE);
            FileLock held = channel.lock()) {
          unpackUnlessPresent(archive, home, held);
        }
      }
      return new PostgresBinaries(home);
    } catch (IOException failure) {
      throw new EmbeddedBackendException("PostgreSQL cannot be unpacked: " + failure, failure);
    }
  }

  static URL archive(String osName, String osArch) {
    String name = archiveName(osName, osArch);
    URL archive = PostgresBinaries.class.getResource("/" + name);
    if (archive == null) {
      throw new EmbeddedBackendException(
          ("The class path has no PostgreSQL for %s on %s (%s). There is one for Linux with glibc"
                  + " and for macOS, each on amd64 and arm64; elsewhere name a server of your own.")
              .formatted(osName, osArch, name));
    }
    return archive;
  }

  static String archiveName(String osName, String osArch) {
    String os = osName.toLowerCase(Locale.ROOT).startsWith("mac") ? "darwin" : "linux";
    return "postgres-%s-%s.txz".formatted(os, ARCHITECTURES.getOrDefault(osArch, osArch));
  }

  private static String folderName(URL archive) throws IOException {
    if (archive.openConnection() instanceof JarURLConnection jar && jar.getJarEntry() != null) {
      return "postgres-%08x-%d".formatted(jar.getJarEntry().getCrc(), jar.getContentLengthLong());
    }
    throw new EmbeddedBackendException(archive + " is not in a jar");
  }

  private static void unpackUnlessPresent(URL archive, Path home, FileLock held)
      throws IOException {
    if (!held.isValid() || Files.exists(home)) {
      return;
    }
    Path partial = home.resolveSibling(home.getFileName() + ".partial");
    FileTrees.delete(partial);
    try (InputStream bytes = archive.openStream();
        TarArchiveInputStream tar =
            new TarArchiveInputStream(
                new XZInputStream(new BufferedInputStream(bytes, BUFFER_BYTES)))) {
      for (TarArchiveEntry entry = tar.getNextEntry(); entry != null; entry = tar.getNextEntry()) {
        unpack(tar, entry, partial);
      }
    }
    Files.move(partial, home, ATOMIC_MOVE);
    log.info("PostgreSQL unpacked into {}", home);
  }

  private static void unpack(TarArchiveInputStream tar, TarArchiveEntry entry, Path home)
      throws IOException {
    Path target = home.resolve(entry.getName()).normalize();
    if (!target.startsWith(home)) {
      throw new IOException("entry outside of the archive's folder: " + entry.getName());
    }
    if (entry.isDirectory()) {
      Files.createDirectories(target);
      passable(target);
      return;
    }
    Files.createDirectories(target.getParent());
    if (entry.isSymbolicLink()) {
      Files.createSymbolicLink(target, Path.of(entry.getLinkName()));
      return;
    }
    Files.copy(tar, target);
    boolean program = (entry.getMode() & 0100) != 0;
    Files.setPosixFilePermissions(
        target, PosixFilePermissions.fromString(program ? "rwxr-xr-x" : "rw-r--r--"));
  }

  private static void passable(Path folder) throws IOException {
    Files.setPosixFilePermissions(folder, PosixFilePermissions.fromString("rwxr-xr-x"));
  }
}
