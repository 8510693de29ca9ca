package io.egress.standalone;

import static io.egress.standalone.Snippets.block;
import static io.egress.standalone.Snippets.has;
import static io.egress.standalone.Snippets.page;
import static io.egress.standalone.Snippets.run;
import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import java.nio.file.Path;
import java.time.Duration;
import java.util.Map;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.CleanupMode;
import org.junit.jupiter.api.io.TempDir;

/**
 * Runs what README and docs/consuming.md show, with this machine's shell, curl, Python and Node
 * where it has them.
 */
class ReadmeTest {
  private static final String WORKSPACE = "6f1c1f5e-6e0c-4b3e-9d0a-0d9b5f1c2a11";
  private static final String CAPTURE = "0b8f5a52-3f0f-4c53-9d57-1d1d6a0c7a01";

  private final Path folder;

  ReadmeTest(@TempDir(cleanup = CleanupMode.ON_SUCCESS) Path folder) {
    this.folder = folder;
  }

  @Test
  @Timeout(240)
  void showsWhatWorks() throws Exception {
    assumeTrue(has("curl") && has("bash"), "the README's commands need bash and curl");
    Path data = folder.resolve("data");
    Map<String, String> environment =
        Map.of(
            "EGRESS_DATA_DIR",
            data.toString(),
            "EGRESS_PUBLIC_PORT",
            "0",
            "EGRESS_INTERNAL_PORT",
            "0");
    try (CommandLine up = CommandLine.start(environment, "up")) {
      String internal = up.awaitOutput("internal API on http://127.0.0.1:(\\d+)/internal/v1");
      String open = up.awaitOutput("up: pull on http://localhost:(\\d+)/api/v1/captures");
      String readme = page("README.md");
      String commands =
          block(readme, "export EGRESS_INTERNAL_TOKEN")
              .replace("localhost:8081", "127.0.0.1:" + internal)
              .replace("localhost:8080", "127.0.0.1:" + open)
              .replace("./egress keys", egress() + " keys --port " + internal);

      await()
          .atMost(Duration.ofSeconds(60))
          .untilAsserted(
              () -> assertThat(run(folder, Map.of(), "bash", "-euc", commands)).contains(CAPTURE));
      createEndpoint(readme, internal, data);

      String key =
          run(
                  folder,
                  Map.of("EGRESS_DATA_DIR", data.toString()),
                  "bash",
                  "-euc",
                  egress() + " keys --port " + internal + " create " + WORKSPACE)
              .strip();
      consume(Map.of("BASE_URL", "http://127.0.0.1:" + open, "API_KEY", key));
    }
  }

  private void createEndpoint(String readme, String port, Path data) throws Exception {
    String commands =
        block(readme, "./egress endpoints create")
            .replace("./egress endpoints", egress() + " endpoints --port " + port);
    Map<String, String> environment =
        Map.of("EGRESS_DATA_DIR", data.toString(), "workspace", WORKSPACE);
    assertThat(run(folder, environment, "bash", "-euc", commands))
        .contains("secret  whsec_", "\"search index\"");
  }

  private void consume(Map<String, String> environment) throws Exception {
    String page = page("docs/consuming.md");
    if (has("jq")) {
      String loop = block(page, "cursor=$(cat cursor");
      assertThat(run(folder, environment, "bash", "-euc", loop)).contains(CAPTURE);
      assertThat(run(folder, environment, "bash", "-euc", loop))
          .as("nothing new")
          .doesNotContain(CAPTURE);
    }
    if (has("python3")) {
      assertThat(run(folder, environment, "python3", "-c", block(page, "import json, os")))
          .contains(CAPTURE);
    }
    if (has("node")) {
      assertThat(run(folder, environment, "node", "-e", block(page, "async function* pull")))
          .contains(CAPTURE);
    }
  }

  private static String egress() {
    return Path.of(System.getProperty("java.home"), "bin", "java")
        + " -cp '"
        + System.getProperty("java.class.path")
        + "' "
        + Main.class.getName();
  }
}
