package io.egress.acceptance;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.egress.embedded.FreePort;
import java.util.Map;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.parallel.Execution;
import org.junit.jupiter.api.parallel.ExecutionMode;

/** The demo. */
@Execution(ExecutionMode.CONCURRENT)
class DemoTest {

  @Test
  @Tag("full")
  void showsWebhooksArrivingAndAPullThatWorks() throws Exception {
    try (CommandLine demo = CommandLine.start(Map.of("EGRESS_PUBLIC_PORT", "0"), "demo")) {
      String key = demo.awaitOutput("Bearer (service_[A-Za-z0-9]{32})");
      String url = demo.awaitOutput("'(http://localhost:\\d+/api/v1/captures)\\?limit=2'");
      String link = demo.awaitOutput("(http://127.0.0.1:\\d+/portal/open#\\S+)");
      assertThat(Pull.text(link)).contains("Open settings");
      demo.awaitOutput("pipeline  finished +Talk about");
      await().untilAsserted(() -> assertThat(Pull.captures(url, key).size()).isGreaterThan(1));

      demo.awaitOutput("healthy +1 +yes +200 +Talk about");
      demo.awaitOutput("flaky +1 +yes +503 +Talk about");
      demo.awaitOutput("flaky +2 +yes +503 +Talk about");
      demo.awaitOutput("flaky +3 +yes +200 +Talk about");
      demo.awaitOutput("flaky +1 +yes +200 +Talk about");

      demo.terminate();
      assertThat(demo.awaitExit()).as(demo.output()).isZero();
      assertThat(demo.output())
          .containsPattern("\\d+ webhooks verified, \\d+ of them refused with 503, [1-3] recovered")
          .doesNotContain("NOT VERIF");
      DemoRecording recording = DemoRecording.of(demo.output());
      if (System.getenv("EGRESS_TEST_WRITE_RECORDING") != null) {
        recording.write();
      }
      assertThat(DemoRecording.pictured())
          .as(
              "docs/demo.svg shows what the demo prints; EGRESS_TEST_WRITE_RECORDING=1 records it anew")
          .containsExactlyInAnyOrderElementsOf(recording.kinds());
    }
  }

  /** Only what listens on all addresses has 127.0.0.2. */
  @Test
  @Tag("full")
  void listensWhereAContainerTellsItTo() throws Exception {
    String port = Integer.toString(FreePort.choose());
    Map<String, String> ofTheImage =
        Map.of(
            "EGRESS_PUBLIC_HOST", "0.0.0.0",
            "EGRESS_PUBLIC_PORT", "0",
            "EGRESS_INTERNAL_HOST", "0.0.0.0",
            "EGRESS_INTERNAL_PORT", port);
    try (CommandLine demo = CommandLine.start(ofTheImage, "demo")) {
      String pull = demo.awaitOutput("'http://localhost:(\\d+)/api/v1/captures\\?limit=2'");
      demo.awaitOutput("http://127.0.0.1:" + port + "/portal/open#");

      assertThat(Pull.text("http://127.0.0.2:" + pull + "/health/live")).contains("up");
      assertThat(Pull.text("http://127.0.0.2:" + port + "/health/live")).contains("up");
    }
  }

  @Test
  @Tag("full")
  void demoEndsAfterTheGivenTime() throws Exception {
    try (CommandLine demo =
        CommandLine.start(Map.of("EGRESS_PUBLIC_PORT", "0"), "demo", "--seconds", "2")) {
      assertThat(demo.awaitExit()).as(demo.output()).isZero();
      assertThat(demo.output())
          .containsPattern("[1-9] captures finished, \\d+ webhooks verified")
          .doesNotContain("could not be stored");
    }
  }
}
