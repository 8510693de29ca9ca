package io.egress.bench.torture;

import io.egress.embedded.UserCache;
import io.egress.standalone.run.ChildProcess;
import io.egress.standalone.run.ServiceJvm;
import java.io.File;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.stream.Stream;

/** A version of the service's roles: that of this checkout, or a release. */
interface Build {
  /** As the run's output names it. */
  String name();

  /** The command line of {@code role}, which is api or dispatcher, with {@code main} to follow. */
  List<String> jvm(String role, int heapMegabytes);

  /** What this JVM was started with. */
  static Build current() {
    return new Build() {
      @Override
      public String name() {
        return "this build";
      }

      @Override
      public List<String> jvm(String role, int heapMegabytes) {
        return ChildProcess.jvm(ServiceJvm.options(role, heapMegabytes));
      }
    };
  }

  /**
   * Builds a release from the commit that {@code deploy/releases} names, unless it is in the user's
   * cache. Returns when it is built, after a minute or two.
   */
  static Build ofRelease(String version) throws IOException, InterruptedException {
    Path checkout = checkout();
    String commit = commit(checkout.resolve("deploy/releases"), version);
    Path folder = UserCache.folder().resolve("releases").resolve(version + "-" + commit);
    if (!Files.exists(folder)) {
      Files.createDirectories(folder.getParent());
      Path unfinished = Files.createTempDirectory(folder.getParent(), "unfinished-");
      build(checkout, commit, unfinished);
      Files.move(unfinished, folder);
    }
    return new Build() {
      @Override
      public String name() {
        return version;
      }

      @Override
      public List<String> jvm(String role, int heapMegabytes) {
        Path options = folder.resolve("deploy/jvm");
        Path jars = folder.resolve(role).resolve("target");
        List<String> line = new ArrayList<>();
        line.add(Path.of(System.getProperty("java.home"), "bin", "java").toString());
        line.add("@" + options.resolve("common"));
        line.add("@" + options.resolve(role));
        line.add("-Xmx" + heapMegabytes + "m");
        line.add("-cp");
        line.add(jars.resolve("*") + File.pathSeparator + jars.resolve("lib/*"));
        return line;
      }
    };
  }

  /** How many migrations the database of a release has. */
  static int migrations(String version) throws IOException {
    Path listed = checkout().resolve("formats").resolve(version).resolve("migrations.txt");
    return Files.readAllLines(listed).size();
  }

  private static String commit(Path releases, String version) throws IOException {
    try (Stream<String> lines = Files.lines(releases)) {
      return lines
          .map(line -> line.split(" ", 2))
          .filter(words -> words[0].equals(version))
          .map(words -> words[1].strip())
          .findFirst()
          .orElseThrow(
              () -> new IllegalArgumentException("deploy/releases has no release " + version));
    }
  }

  /** The checkout that this class was built in. */
  private static Path checkout() {
    Path path = Path.of(Build.class.getProtectionDomain().getCodeSource().getLocation().getPath());
    while (path != null && !Files.exists(path.resolve("deploy/releases"))) {
      path = path.getParent();
    }
    if (path == null) {
      throw new IllegalStateException("releases are built from a checkout only");
    }
    return path;
  }

  private static void build(Path checkout, String commit, Path folder)
      throws IOException, InterruptedException {
    Path log = folder.resolve("build.log");
    String sources = folder.resolve("sources.tar").toString();
    run(checkout, log, List.of("git", "archive", "--output", sources, commit));
    run(folder, log, List.of("tar", "-xf", sources));
    String quick = "-Dmaven.test.skip=true -Dspotless.check.skip=true -pl api,dispatcher -am";
    List<String> maven = new ArrayList<>(List.of("./mvnw", "-B", "package"));
    maven.addAll(List.of(quick.split(" ")));
    run(folder, log, maven);
  }

  private static void run(Path folder, Path log, List<String> command)
      throws IOException, InterruptedException {
    Process process =
        new ProcessBuilder(command)
            .directory(folder.toFile())
            .redirectErrorStream(true)
            .redirectOutput(log.toFile())
            .start();
    if (process.waitFor() != 0) {
      throw new IllegalStateException(
          "%s failed: %s".formatted(String.join(" ", command), Files.readString(log)));
    }
  }
}
