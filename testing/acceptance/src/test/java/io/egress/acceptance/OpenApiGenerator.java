package io.egress.acceptance;

import static org.assertj.core.api.Assertions.assertThat;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.TimeUnit;

/** OpenAPI Generator, kept in the build folder until that is cleaned. */
final class OpenApiGenerator {
  static final Path MAVEN = Path.of("..", "..", "mvnw").toAbsolutePath();
  private static final String NAME = "openapi-generator-cli";
  private static final String VERSION = "7.25.0";
  private static final Path DESCRIPTIONS =
      Path.of("..", "..", "api", "src", "main", "resources", "io", "egress", "api")
          .toAbsolutePath();
  private static final Path FOLDER = Path.of("target", "openapi").toAbsolutePath();
  private static final int MINUTES_MAX = 4;

  private OpenApiGenerator() {}

  /** Skips the test where it cannot be fetched, or nobody asked for it. */
  static synchronized void fetch() throws IOException, InterruptedException {
    Snippets.assumePackagesMayBeInstalled();
    if (!Files.exists(jar())) {
      Files.createDirectories(FOLDER);
      List<String> fetch =
          List.of(
              MAVEN.toString(),
              "--batch-mode",
              "--quiet",
              "--non-recursive",
              "--file",
              MAVEN.resolveSibling("pom.xml").toString(),
              "dependency:copy",
              "-Dartifact=org.openapitools:" + NAME + ":" + VERSION,
              "-DoutputDirectory=" + FOLDER);
      assumeTrue(exitValue(FOLDER, fetch) == 0, "the generator could not be fetched");
    }
  }

  /** Generates a client into {@code folder}. */
  static void generate(Path folder, String description, String language, String... options)
      throws IOException, InterruptedException {
    List<String> command = new ArrayList<>();
    command.add(Path.of(System.getProperty("java.home"), "bin", "java").toString());
    command.addAll(List.of("-jar", jar().toString(), "generate"));
    command.addAll(List.of("--input-spec", at(description), "--output", folder.toString()));
    command.addAll(List.of("--generator-name", language));
    command.addAll(List.of(options));
    run(folder, command.toArray(String[]::new));
  }

  static void run(Path folder, String... command) throws IOException, InterruptedException {
    int exitValue = exitValue(folder, List.of(command));
    assertThat(exitValue).as(Files.readString(output(folder))).isZero();
  }

  private static int exitValue(Path folder, List<String> command)
      throws IOException, InterruptedException {
    ProcessBuilder builder =
        new ProcessBuilder(command)
            .directory(folder.toFile())
            .redirectErrorStream(true)
            .redirectOutput(output(folder).toFile());
    builder.environment().put("REDOCLY_TELEMETRY", "off");
    Process process = builder.start();
    boolean ended = process.waitFor(MINUTES_MAX, TimeUnit.MINUTES);
    process.destroyForcibly();
    return ended ? process.exitValue() : -1;
  }

  private static Path output(Path folder) {
    return folder.resolve("output.txt");
  }

  private static Path jar() {
    return FOLDER.resolve(NAME + "-" + VERSION + ".jar");
  }

  /** A description of the api. */
  static String at(String description) {
    return DESCRIPTIONS.resolve(description).toString();
  }
}
