package io.egress.acceptance;

import static io.egress.acceptance.Snippets.block;
import static io.egress.acceptance.Snippets.has;
import static io.egress.acceptance.Snippets.page;
import static org.assertj.core.api.Assertions.assertThat;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import io.egress.embedded.FreePort;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Map;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.CleanupMode;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.api.parallel.Execution;
import org.junit.jupiter.api.parallel.ExecutionMode;

/**
 * Pastes what the README shows into terminals, in its order. Ports are the only thing changed, for
 * others may use those of the README.
 */
@Tag("full")
@Execution(ExecutionMode.CONCURRENT)
class ReadmeTest {
  private static final String FIRST = "0b8f5a52-3f0f-4c53-9d57-1d1d6a0c7a01";
  private static final String SECOND = "0b8f5a52-3f0f-4c53-9d57-1d1d6a0c7a02";
  private static final Map<String, String> FREE_PORTS =
      Map.of("EGRESS_PUBLIC_PORT", "0", "EGRESS_INTERNAL_PORT", "0");

  private final Path folder;

  ReadmeTest(@TempDir(cleanup = CleanupMode.ON_SUCCESS) Path folder) {
    this.folder = folder;
  }

  @BeforeEach
  void placeWhatACloneHas() throws Exception {
    assumeTrue(has("curl") && has("bash"), "the README's commands need bash and curl");
    Path receiver = Path.of("docs", "receivers", "Receiver.java");
    Files.createDirectories(folder.resolve(receiver).getParent());
    Files.copy(Path.of("..", "..").resolve(receiver), folder.resolve(receiver));
  }

  @Test
  void leadsToAVerifiedWebhookOfTheReadersOwnCapture() throws Exception {
    String readme = page("README.md");
    Terminal.placeEgress(folder, "0");
    try (Terminal first = new Terminal(folder, FREE_PORTS)) {
      first.paste(block(readme, "EGRESS_ALLOW_HTTP"));
      String internal = first.awaitOutput("internal API on http://127.0.0.1:(\\d+)/internal/v1");
      String open = first.awaitOutput("up: pull on http://localhost:(\\d+)/api/v1/captures");
      String receiver = Integer.toString(FreePort.choose());
      Terminal.placeEgress(folder, internal);

      try (Terminal second = new Terminal(folder, Map.of())) {
        second.paste(
            block(readme, "workspace=")
                .replace("localhost:8081", "localhost:" + internal)
                .replace("localhost:8080", "localhost:" + open));
        second.awaitOutput("\"captures\":\\[\\{\"id\":\"" + FIRST + "\".*\"hasNextPage\":false");

        second.paste(block(readme, "endpoint=").replace("9000", receiver));
        second.awaitOutput("secret +whsec_");
        second.awaitOutput("listening on http://127.0.0.1:" + receiver);
        second.paste(block(readme, "finish 0b8f"));
        second.awaitOutput("verified " + SECOND);
        assertThat(readme).contains("`verified " + SECOND + "`");

        second.paste(block(readme, "./egress endpoints list"));
        second.awaitOutput("search index +(healthy|untried)");
        second.paste(block(readme, "./egress deliveries list"));
        second.awaitOutput("delivered \\(1\\) +204 +- +search index");
        second.paste(block(readme, "id=$(echo"));
        second.awaitOutput("published +0");
        second.awaitOutput("search index +1 delivered +0 ");
        second.paste("kill %1\necho ended by that");
        second.awaitOutput("ended by that");
      }
    }
  }
}
