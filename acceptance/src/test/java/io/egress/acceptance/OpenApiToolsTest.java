package io.egress.acceptance;

import static org.assertj.core.api.Assertions.assertThat;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.CleanupMode;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Both OpenAPI descriptions in common tools: generated clients compile, linters find no error. */
@Timeout(600)
class OpenApiToolsTest {
  private static final String GENERATOR = "openapi-generator-cli";
  private static final String GENERATOR_VERSION = "7.25.0";
  private static final Path MAVEN = Path.of("..", "mvnw").toAbsolutePath();
  private static final Path DESCRIPTIONS =
      Path.of("..", "api", "src", "main", "resources", "io", "egress", "api").toAbsolutePath();
  private static final Path GENERATOR_FOLDER = Path.of("target", "openapi").toAbsolutePath();
  private static final int TOOL_MINUTES_MAX = 4;

  private final Path folder;

  OpenApiToolsTest(@TempDir(cleanup = CleanupMode.ON_SUCCESS) Path folder) {
    this.folder = folder;
  }

  @BeforeAll
  static void fetchGenerator() throws Exception {
    Snippets.assumePackagesMayBeInstalled();
    if (!Files.exists(jar())) {
      Files.createDirectories(GENERATOR_FOLDER);
      List<String> fetch =
          List.of(
              MAVEN.toString(),
              "--batch-mode",
              "--quiet",
              "--non-recursive",
              "--file",
              MAVEN.resolveSibling("pom.xml").toString(),
              "dependency:copy",
              "-Dartifact=org.openapitools:" + GENERATOR + ":" + GENERATOR_VERSION,
              "-DoutputDirectory=" + GENERATOR_FOLDER);
      assumeTrue(exitValue(GENERATOR_FOLDER, fetch) == 0, "the generator could not be fetched");
    }
  }

  @ParameterizedTest
  @ValueSource(strings = {"openapi.json", "internal-openapi.json"})
  void generateAJavaClientThatCompiles(String description) throws Exception {
    generate(description, "java", "--library", "native");

    run(
        MAVEN.toString(),
        "--batch-mode",
        "--quiet",
        "--file",
        folder.resolve("pom.xml").toString(),
        "-Dmaven.test.skip=true",
        "compile");
    Path api = folder.resolve("src/main/java/org/openapitools/client/api/CapturesApi.java");
    assertThat(Files.readString(api))
        .contains(description.startsWith("internal") ? " putCapture(" : " listCaptures(");
  }

  @ParameterizedTest
  @ValueSource(strings = {"openapi.json", "internal-openapi.json"})
  void generateAPythonClientThatCompiles(String description) throws Exception {
    assumeTrue(Snippets.has("python3"), "python3 is not here");
    generate(description, "python");

    run("python3", "-m", "compileall", "-q", folder.resolve("openapi_client").toString());
  }

  @ParameterizedTest
  @ValueSource(strings = {"openapi.json", "internal-openapi.json"})
  void generateTypesThatCompile(String description) throws Exception {
    Path generator = NodePackages.install("openapi-typescript", "7.13.0");
    Path compiler = NodePackages.install("typescript", "5.9.3");
    Path types = folder.resolve("types.d.ts");

    run(program(generator, "openapi-typescript"), at(description), "--output", types.toString());
    run(program(compiler, "tsc"), "--noEmit", "--strict", types.toString());
  }

  @ParameterizedTest
  @ValueSource(strings = {"openapi.json", "internal-openapi.json"})
  void passLinters(String description) throws Exception {
    Path redocly = NodePackages.install("@redocly/cli", "2.77.0");
    run(program(redocly, "redocly"), "lint", at(description));

    Path spectral = NodePackages.install("@stoplight/spectral-cli", "6.16.3");
    Path rules = Files.writeString(folder.resolve("rules.yaml"), "extends: [\"spectral:oas\"]\n");
    run(program(spectral, "spectral"), "lint", "--ruleset", rules.toString(), at(description));
  }

  private void generate(String description, String language, String... options) throws Exception {
    List<String> command = new ArrayList<>();
    command.add(Path.of(System.getProperty("java.home"), "bin", "java").toString());
    command.addAll(List.of("-jar", jar().toString(), "generate"));
    command.addAll(List.of("--input-spec", at(description), "--output", folder.toString()));
    command.addAll(List.of("--generator-name", language));
    command.addAll(List.of(options));
    run(command.toArray(String[]::new));
  }

  private void run(String... command) throws Exception {
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
    boolean ended = process.waitFor(TOOL_MINUTES_MAX, TimeUnit.MINUTES);
    process.destroyForcibly();
    return ended ? process.exitValue() : -1;
  }

  private static Path output(Path folder) {
    return folder.resolve("output.txt");
  }

  private static Path jar() {
    return GENERATOR_FOLDER.resolve(GENERATOR + "-" + GENERATOR_VERSION + ".jar");
  }

  private static String at(String description) {
    return DESCRIPTIONS.resolve(description).toString();
  }

  private static String program(Path folder, String name) {
    return folder.resolve("node_modules").resolve(".bin").resolve(name).toString();
  }
}
