package io.egress.acceptance;

import io.egress.embedded.ChildJvm;
import io.egress.standalone.Main;
import java.io.File;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.lang.ProcessBuilder.Redirect;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.concurrent.TimeUnit;
import java.util.stream.Collectors;
import java.util.stream.Stream;

/**
 * The {@code java} command line of {@code egress}. Tests start dozens of these JVMs, so they share
 * an archive of loaded classes, which a short demo writes. A JVM ignores an archive that is missing
 * or does not match its class path, as one with folders.
 */
final class EgressJvm {
  static final String CLASS_PATH =
      Stream.of(System.getProperty("java.class.path").split(File.pathSeparator))
          .filter(entry -> !entry.endsWith("test-classes"))
          .collect(Collectors.joining(File.pathSeparator));

  private EgressJvm() {}

  static List<String> command(String... arguments) {
    return with(Archive.FILE, arguments);
  }

  /** With an archive that {@link #recording} has written. */
  static List<String> with(Path archive, String... arguments) {
    return line("-XX:SharedArchiveFile=" + archive, List.of(arguments));
  }

  /** Writes an archive of what the command loads, when it ends. */
  static List<String> recording(Path archive, String... arguments) {
    return line("-XX:ArchiveClassesAtExit=" + archive, List.of(arguments));
  }

  private static List<String> line(String archive, List<String> arguments) {
    List<String> line = ChildJvm.command();
    line.addAll(List.of("-Xmx512m", "-XX:TieredStopAtLevel=1", "-XX:+UseSerialGC"));
    line.addAll(List.of(archive, "-Xshare:auto", "-Xlog:cds=off", "-Xlog:cds+dynamic=off"));
    line.addAll(List.of("-cp", CLASS_PATH, Main.class.getName()));
    line.addAll(arguments);
    return line;
  }

  private static final class Archive {
    private static final Path FILE = write();

    private static Path write() {
      try {
        Path file = Files.createDirectories(Path.of("target")).resolve("egress.jsa");
        Files.deleteIfExists(file);
        Process demo =
            new ProcessBuilder(recording(file.toAbsolutePath(), "demo", "--seconds", "1"))
                .redirectErrorStream(true)
                .redirectOutput(Redirect.DISCARD)
                .start();
        // join is not interrupted: the guard of the test that comes first must not leave a class
        // without its archive to all others of this JVM.
        demo.onExit().completeOnTimeout(demo, 2, TimeUnit.MINUTES).join();
        demo.destroyForcibly();
        return file.toAbsolutePath();
      } catch (IOException failure) {
        throw new UncheckedIOException(failure);
      }
    }
  }
}
