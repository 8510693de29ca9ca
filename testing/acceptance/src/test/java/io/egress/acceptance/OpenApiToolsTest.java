package io.egress.acceptance;

import static org.assertj.core.api.Assertions.assertThat;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import java.nio.file.Files;
import java.nio.file.Path;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.io.CleanupMode;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Both OpenAPI descriptions in common tools: generated clients compile, linters find no error. */
@Tag("full")
class OpenApiToolsTest {
  private final Path folder;

  OpenApiToolsTest(@TempDir(cleanup = CleanupMode.ON_SUCCESS) Path folder) {
    this.folder = folder;
  }

  @BeforeAll
  static void fetchGenerator() throws Exception {
    OpenApiGenerator.fetch();
  }

  @ParameterizedTest
  @ValueSource(strings = {"openapi.json", "internal-openapi.json"})
  void generateAJavaClientThatCompiles(String description) throws Exception {
    OpenApiGenerator.generate(folder, description, "java", "--library", "native");

    run(
        OpenApiGenerator.MAVEN.toString(),
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
    OpenApiGenerator.generate(folder, description, "python");

    run("python3", "-m", "compileall", "-q", folder.resolve("openapi_client").toString());
  }

  @ParameterizedTest
  @ValueSource(strings = {"openapi.json", "internal-openapi.json"})
  void generateTypesThatCompile(String description) throws Exception {
    Path generator = NodePackages.install("openapi-typescript", "7.13.0");
    Path compiler = NodePackages.install("typescript", "5.9.3");
    Path types = folder.resolve("types.d.ts");

    run(
        program(generator, "openapi-typescript"),
        OpenApiGenerator.at(description),
        "--output",
        types.toString());
    run(program(compiler, "tsc"), "--noEmit", "--strict", types.toString());
  }

  @ParameterizedTest
  @ValueSource(strings = {"openapi.json", "internal-openapi.json"})
  void passLinters(String description) throws Exception {
    Path redocly = NodePackages.install("@redocly/cli", "2.77.0");
    run(program(redocly, "redocly"), "lint", OpenApiGenerator.at(description));

    Path spectral = NodePackages.install("@stoplight/spectral-cli", "6.16.3");
    Path rules = Files.writeString(folder.resolve("rules.yaml"), "extends: [\"spectral:oas\"]\n");
    run(
        program(spectral, "spectral"),
        "lint",
        "--ruleset",
        rules.toString(),
        OpenApiGenerator.at(description));
  }

  private void run(String... command) throws Exception {
    OpenApiGenerator.run(folder, command);
  }

  private static String program(Path folder, String name) {
    return folder.resolve("node_modules").resolve(".bin").resolve(name).toString();
  }
}
