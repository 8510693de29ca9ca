package io.egress.acceptance;

import static io.egress.acceptance.Snippets.works;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import java.io.File;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.concurrent.TimeUnit;

/** A virtual environment with packages of PyPI, kept in the build folder until that is cleaned. */
record PythonPackages(Path environment) {
  static final String[] DUCKDB_AND_PANDAS = {"duckdb==1.4.2", "pandas==2.3.3", "pytz==2025.2"};

  private static final int INSTALL_MINUTES_MAX = 4;

  /** Skips the test where Python, its venv module or PyPI is missing, or nobody asked for it. */
  static synchronized PythonPackages install(String name, String... requirements)
      throws IOException, InterruptedException {
    Snippets.assumePackagesMayBeInstalled();
    Path environment = Path.of("target", "python", name).toAbsolutePath();
    PythonPackages packages = new PythonPackages(environment);
    Path done = environment.resolve("installed");
    String wanted = String.join("\n", requirements);
    if (Files.exists(done) && Files.readString(done).equals(wanted)) {
      return packages;
    }
    assumeTrue(
        works("python3", "-m", "venv", "--clear", environment.toString()),
        "python3 with its venv module is not here");
    Process pip =
        new ProcessBuilder(
                environment.resolve("bin/pip").toString(),
                "install",
                "--quiet",
                "--no-compile",
                "--retries=1",
                "--only-binary=:all:",
                "--requirement",
                "/dev/stdin")
            .redirectOutput(ProcessBuilder.Redirect.DISCARD)
            .redirectError(ProcessBuilder.Redirect.DISCARD)
            .start();
    try (var in = pip.outputWriter()) {
      in.write(wanted);
    }
    boolean ended = pip.waitFor(INSTALL_MINUTES_MAX, TimeUnit.MINUTES);
    pip.destroyForcibly();
    assumeTrue(ended && pip.exitValue() == 0, "pip could not install " + List.of(requirements));
    Files.writeString(done, wanted);
    return packages;
  }

  /** What makes {@code python3} and the packages' programs the ones installed here. */
  Map<String, String> path() {
    return Map.of(
        "PATH",
        environment.resolve("bin") + File.pathSeparator + System.getenv("PATH"),
        "VIRTUAL_ENV",
        environment.toString());
  }
}
