package io.egress.acceptance;

import static io.egress.acceptance.Snippets.has;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.concurrent.TimeUnit;

/** Packages of the npm registry, kept in the build folder until that is cleaned. */
final class NodePackages {
  private static final int INSTALL_MINUTES_MAX = 2;

  private NodePackages() {}

  /**
   * The folder that programs find them from; skips the test where npm or its registry is missing,
   * or nobody asked for it.
   */
  static Path install(String name, String version) throws IOException, InterruptedException {
    Snippets.assumePackagesMayBeInstalled();
    Path folder = Files.createDirectories(Path.of("target", "node", name).toAbsolutePath());
    Path done = folder.resolve("installed");
    if (!Files.exists(done) || !Files.readString(done).equals(version)) {
      assumeTrue(has("npm"), "npm is not here");
      Process npm =
          new ProcessBuilder(
                  "npm", "install", "--silent", "--no-audit", "--no-fund", name + "@" + version)
              .directory(folder.toFile())
              .redirectErrorStream(true)
              .redirectOutput(ProcessBuilder.Redirect.DISCARD)
              .start();
      boolean ended = npm.waitFor(INSTALL_MINUTES_MAX, TimeUnit.MINUTES);
      npm.destroyForcibly();
      assumeTrue(ended && npm.exitValue() == 0, "npm could not install " + name);
      Files.writeString(done, version);
    }
    return folder;
  }
}
