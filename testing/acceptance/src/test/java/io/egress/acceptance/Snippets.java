package io.egress.acceptance;

import static org.assertj.core.api.Assertions.assertThat;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.concurrent.TimeUnit;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/** What the project's pages show, to be run with the interpreters that this machine has. */
final class Snippets {
  private static final int PATIENCE_SECONDS = 60;
  private static final String PACKAGES = "EGRESS_TEST_PACKAGES";

  private Snippets() {}

  static String page(String name) throws IOException {
    return Files.readString(Path.of("..", "..", name));
  }

  /** The rows of the table that has this header. */
  static List<String> rows(String page, String header) {
    return page.lines()
        .dropWhile(line -> !line.equals(header))
        .skip(2)
        .takeWhile(line -> line.startsWith("|"))
        .toList();
  }

  /** The fenced block that begins so. */
  static String block(String page, String begin) {
    Matcher block =
        Pattern.compile("```\\w*\\n(" + Pattern.quote(begin) + ".*?)\\n```", Pattern.DOTALL)
            .matcher(page);
    assertThat(block.find()).as(begin).isTrue();
    return block.group(1);
  }

  /**
   * Of the page of the connectors, without what they would install: it is there already, in a
   * version that is known.
   */
  static String connectorCommands(String begin) throws IOException {
    String shown = block(page("docs/connectors/README.md"), begin);
    return shown.substring(shown.indexOf('\n') + 1);
  }

  /**
   * Packages come from public registries and take minutes, so they are installed when asked for.
   */
  static void assumePackagesMayBeInstalled() {
    assumeTrue(
        "install".equals(System.getenv(PACKAGES)),
        PACKAGES
            + "=install runs this one, with packages of PyPI, npm, Maven Central and the Go proxy");
  }

  static boolean has(String program) throws InterruptedException {
    return works(program, "--version");
  }

  static boolean works(String... command) throws InterruptedException {
    try {
      Process process =
          new ProcessBuilder(command)
              .redirectErrorStream(true)
              .redirectOutput(ProcessBuilder.Redirect.DISCARD)
              .start();
      return process.waitFor() == 0;
    } catch (IOException notHere) {
      return false;
    }
  }

  static String run(Path folder, Map<String, String> environment, String... command)
      throws IOException, InterruptedException {
    Path errors = folder.resolve("errors.txt");
    ProcessBuilder builder =
        new ProcessBuilder(command).directory(folder.toFile()).redirectError(errors.toFile());
    builder.environment().keySet().removeIf(name -> name.startsWith("EGRESS_"));
    builder.environment().putAll(environment);
    Process process = builder.start();
    String output = new String(process.getInputStream().readAllBytes(), StandardCharsets.UTF_8);
    assertThat(process.waitFor(PATIENCE_SECONDS, TimeUnit.SECONDS)).isTrue();
    assertThat(process.exitValue()).as(output + Files.readString(errors)).isZero();
    return output;
  }
}
