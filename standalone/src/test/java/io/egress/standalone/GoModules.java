package io.egress.standalone;

import static io.egress.standalone.Snippets.works;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import io.vertx.core.json.JsonObject;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.TimeUnit;

/** Modules of the Go proxy; programs are kept in the build folder until that is cleaned. */
final class GoModules {
  private static final int MINUTES_MAX = 12;

  private GoModules() {}

  /**
   * A program that is built from source, which takes minutes the first time; skips the test where
   * Go or the proxy is missing, or nobody asked for it.
   */
  static Path program(String name, String source, String version)
      throws IOException, InterruptedException {
    Path folder = Files.createDirectories(Path.of("target", "go", name, version).toAbsolutePath());
    Path program = folder.resolve(name);
    if (!Files.exists(program)) {
      run(folder, "install", source + "@" + version);
    }
    return program;
  }

  /** The folder of a module's source. */
  static Path source(String module, String version) throws IOException, InterruptedException {
    Path folder = Files.createDirectories(Path.of("target", "go").toAbsolutePath());
    String answer = run(folder, "mod", "download", "-json", module + "@" + version);
    return Path.of(new JsonObject(answer).getString("Dir"));
  }

  private static String run(Path folder, String... arguments)
      throws IOException, InterruptedException {
    Snippets.assumePackagesMayBeInstalled();
    assumeTrue(works("go", "version"), "go is not here (Debian: apt-get install golang-go)");
    List<String> command = new ArrayList<>(List.of("go"));
    command.addAll(List.of(arguments));
    Path output = folder.resolve("output.txt");
    Path errors = folder.resolve("errors.txt");
    ProcessBuilder builder =
        new ProcessBuilder(command)
            .directory(folder.toFile())
            .redirectOutput(output.toFile())
            .redirectError(errors.toFile());
    builder.environment().put("GOBIN", folder.toString());
    Process process = builder.start();
    boolean ended = process.waitFor(MINUTES_MAX, TimeUnit.MINUTES);
    process.destroyForcibly();
    assumeTrue(
        ended && process.exitValue() == 0,
        () -> String.join(" ", command) + " failed, see " + errors);
    return Files.readString(output);
  }
}
