package io.egress.acceptance;

import static io.egress.acceptance.Snippets.works;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Map;
import java.util.concurrent.TimeUnit;

/** A program made from a Go module, kept in the build folder until that is cleaned. */
final class GoProgram {
  private static final int INSTALL_MINUTES_MAX = 6;

  private GoProgram() {}

  /** Skips the test where Go or the module is missing, or packages may not be installed. */
  static synchronized Path install(String module, String version)
      throws IOException, InterruptedException {
    Snippets.assumePackagesMayBeInstalled();
    assumeTrue(works("go", "version"), "go is not here");
    Path folder = Path.of("target", "go", "programs").toAbsolutePath();
    Path bin = folder.resolve(version);
    Path program = bin.resolve(module.substring(module.lastIndexOf('/') + 1));
    if (!Files.exists(program)) {
      ProcessBuilder builder =
          new ProcessBuilder("go", "install", "-modcacherw", module + "@" + version)
              .redirectErrorStream(true)
              .redirectOutput(ProcessBuilder.Redirect.DISCARD);
      builder
          .environment()
          .putAll(Map.of("GOPATH", folder.toString(), "GOBIN", bin.toString(), "GOFLAGS", ""));
      Process go = builder.start();
      boolean ended = go.waitFor(INSTALL_MINUTES_MAX, TimeUnit.MINUTES);
      go.destroyForcibly();
      assumeTrue(ended && go.exitValue() == 0, "go could not install " + module);
    }
    return program;
  }
}
