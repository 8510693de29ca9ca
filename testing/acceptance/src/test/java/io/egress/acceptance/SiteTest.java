package io.egress.acceptance;

import static io.egress.acceptance.Snippets.has;
import static org.assertj.core.api.Assertions.assertThat;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import io.vertx.core.json.JsonObject;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.concurrent.TimeUnit;
import java.util.regex.Pattern;
import java.util.stream.Stream;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** The documentation as a site, which .ci/site builds without a warning. */
@Tag("full")
class SiteTest {
  private static final Path ROOT = Path.of("..", "..");
  private static final Path SITE = ROOT.resolve("target/site");
  private static final Path DESCRIPTIONS = ROOT.resolve("api/src/main/resources/io/egress/api");
  private static final int MINUTES_MAX = 5;
  private static final Pattern LOADED_FROM_ELSEWHERE =
      Pattern.compile(
          "<(?:script|img|iframe)\\b[^>]*\\bsrc=\"(?:https?:)?//[^>]*>"
              + "|<link\\b(?=[^>]*\\brel=\"(?:stylesheet|icon|preload)\")[^>]*\\bhref=\"(?:https?:)?//[^>]*>");

  @BeforeAll
  static void build() throws Exception {
    Snippets.assumePackagesMayBeInstalled();
    assumeTrue(has("python3") && has("npm"), "python3 or npm is not here");
    run(ROOT.resolve(".ci/site").toString());
  }

  @Test
  void hasEveryPageAndFindsIt() throws IOException {
    assertThat(SITE.resolve("index.html")).content().contains("docs/receiving.html");
    assertThat(SITE.resolve("docs/receiving.html")).content().contains("id=\"verifying\"");
    assertThat(SITE.resolve("searchindex.js")).content().contains("docs/decisions/README");
  }

  @Test
  void loadsNothingFromElsewhere() throws IOException {
    try (Stream<Path> files = Files.walk(SITE)) {
      List<Path> pages = files.filter(file -> file.toString().endsWith(".html")).toList();
      assertThat(pages).hasSizeGreaterThan(50);
      for (Path page : pages) {
        // The pages of the APIs have a policy that forbids it, and scripts in them.
        if (!page.getFileName().toString().endsWith("-api.html")) {
          assertThat(LOADED_FROM_ELSEWHERE.matcher(Files.readString(page)).results())
              .as(page.toString())
              .isEmpty();
        }
      }
    }
  }

  @ParameterizedTest
  @CsvSource({"public-api.html, openapi.json", "internal-api.html, internal-openapi.json"})
  void showsEveryCall(String page, String description) throws Exception {
    assumeTrue(has("chromium"), "chromium is not here");
    String shown =
        run(
                "chromium",
                "--headless",
                "--no-sandbox",
                "--disable-gpu",
                "--virtual-time-budget=30000",
                "--dump-dom",
                SITE.resolve(page).toRealPath().toUri().toString())
            .replaceAll("(?s)<script.*?</script>", "");

    JsonObject described = new JsonObject(Files.readString(DESCRIPTIONS.resolve(description)));
    assertThat(described.getJsonObject("paths").fieldNames())
        .isNotEmpty()
        .allSatisfy(path -> assertThat(shown.contains(path)).as(path).isTrue());
  }

  private static String run(String... command) throws IOException, InterruptedException {
    Path errors = Files.createTempFile("site", ".txt");
    Process process = new ProcessBuilder(command).redirectError(errors.toFile()).start();
    String output = new String(process.getInputStream().readAllBytes(), StandardCharsets.UTF_8);
    boolean ended = process.waitFor(MINUTES_MAX, TimeUnit.MINUTES);
    process.destroyForcibly();
    assertThat(ended).isTrue();
    assertThat(process.exitValue()).as(Files.readString(errors)).isZero();
    Files.delete(errors);
    return output;
  }
}
