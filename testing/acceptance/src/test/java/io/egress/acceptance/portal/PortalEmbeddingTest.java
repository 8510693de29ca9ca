package io.egress.acceptance.portal;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;

import io.egress.platform.lifecycle.RunningProcess;
import io.vertx.core.Vertx;
import io.vertx.core.http.HttpServer;
import java.net.URLEncoder;
import java.util.Map;
import java.util.UUID;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.openqa.selenium.By;

/** The settings page in a frame of an application at another site. */
@Tag("full")
class PortalEmbeddingTest {
  private static final Vertx vertx = Vertx.vertx();
  private static Chromium browser;
  private static HttpServer application;
  private static HttpServer stranger;
  private static PortalWorld world;

  @BeforeAll
  static void start() {
    browser = Chromium.start();
    application = embedding();
    stranger = embedding();
    world =
        new PortalWorld(
            Map.of("EGRESS_PORTAL_ANCESTORS", "http://localhost:" + application.actualPort()));
  }

  /** Shows what the query names in a frame. */
  private static HttpServer embedding() {
    return RunningProcess.await(
        vertx
            .createHttpServer()
            .requestHandler(request ->
                request
                    .response()
                    .putHeader("content-type", "text/html")
                    .end(
                        "<iframe width=1000 height=700 src=\""
                            + request.getParam("page", "about:blank")
                            + "\"></iframe>"))
            .listen(0, "127.0.0.1"));
  }

  @AfterAll
  static void stop() throws Exception {
    if (world != null) {
      world.close();
    }
    if (browser != null) {
      browser.close();
    }
    RunningProcess.await(vertx.close());
  }

  @Test
  void worksInTheConfiguredApplication() {
    UUID workspace = UUID.randomUUID();
    browser.go(embedded(application, world.link(workspace, "admin", "ada")));
    browser.driver().switchTo().frame(browser.driver().findElement(By.tagName("iframe")));
    browser.awaitText("Captures in the stream");

    browser.follow("API keys");
    browser.follow("Create a key");
    browser.type("name", "from within");
    browser.press("Create key");
    assertThat(browser.text()).contains("Key “from within” created");
  }

  @Test
  void isBlockedElsewhere() {
    UUID workspace = UUID.randomUUID();
    browser.go(embedded(stranger, world.link(workspace, "admin", "ada")));
    browser.driver().switchTo().frame(browser.driver().findElement(By.tagName("iframe")));

    assertThat(browser.text()).doesNotContain("Open settings", "Captures in the stream");
  }

  private static String embedded(HttpServer by, String page) {
    return "http://localhost:" + by.actualPort() + "/?page=" + URLEncoder.encode(page, UTF_8);
  }
}
