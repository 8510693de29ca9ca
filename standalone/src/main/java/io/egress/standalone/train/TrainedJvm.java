package io.egress.standalone.train;

import io.egress.embedded.ChildJvm;
import io.egress.platform.lifecycle.RunningProcess;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.util.ArrayList;
import java.util.List;

/**
 * A JVM that records what it loads and how often it calls what. When it has ended, a cache is made
 * from its record, for JVMs with the same libraries and the same kind of object headers.
 *
 * @param name of the cache's file
 * @param line the program {@code java} with its options
 */
record TrainedJvm(Path folder, String name, List<String> line) {
  TrainedJvm {
    line = List.copyOf(line);
  }

  /** The program with further options in front of its own. */
  static List<String> with(List<String> options, List<String> line) {
    List<String> all = new ArrayList<>(line);
    all.addAll(1, options);
    return all;
  }

  /** Options of the JVM that records. */
  static List<String> recording(Path folder, String name) {
    return List.of(ChildJvm.RECORDS, record(folder, name), "-Xlog:aot=error");
  }

  private static String record(Path folder, String name) {
    return "-XX:AOTConfiguration=" + folder.resolve(name + ".record");
  }

  /** Blocks for some seconds. A running service may use the cache that is replaced. */
  void makeCache(RunningProcess process, Path file) throws IOException, InterruptedException {
    Path made = folder.resolve(name + ".made");
    Path said = folder.resolve(name + ".made.log");
    List<String> options =
        List.of(
            "-XX:AOTMode=create", record(folder, name), "-XX:AOTCache=" + made, "-Xlog:aot=error");
    Process making =
        new ProcessBuilder(with(options, line))
            .redirectErrorStream(true)
            .redirectOutput(said.toFile())
            .start();
    process.push("the JVM that makes " + file, making::destroy);
    if (making.waitFor() != 0 || Files.notExists(made)) {
      throw new IllegalStateException("no cache was made:\n" + Files.readString(said));
    }
    Files.move(made, file, StandardCopyOption.REPLACE_EXISTING, StandardCopyOption.ATOMIC_MOVE);
  }
}
