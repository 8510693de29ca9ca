package io.egress.acceptance.portal;

import static java.util.Objects.requireNonNull;
import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.egress.acceptance.BothRoles;
import io.egress.acceptance.TestEnvironment;
import io.egress.testing.TcpProxy;
import java.net.URI;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.Map;
import java.util.UUID;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.openqa.selenium.By;

/** A page that stays open while the service, or what it needs, is away. */
@Tag("full")
class OutageBrowserTest {

  /** The parts of a page that poll do so every two seconds. */
  private static final Duration ANSWERS_APART_MAX = Duration.ofSeconds(15);

  private static final String AWAY = "The service cannot reach its database (PostgreSQL)";

  private static Chromium browser;
  private static TcpProxy database;
  private static PortalWorld world;
  private static TcpProxy front;

  private final UUID workspace = UUID.randomUUID();

  @BeforeAll
  static void start() {
    browser = Chromium.start();
    String url = requireNonNull(TestEnvironment.fresh(BothRoles.TOKEN).get("EGRESS_DATABASE_URL"));
    database = TcpProxy.open(URI.create(url).getPort());
    world = new PortalWorld(Map.of("EGRESS_DATABASE_URL", database.url(url)));
    front = TcpProxy.open(world.internalPort());
  }

  @AfterAll
  static void stop() throws Exception {
    if (world != null) {
      world.close();
      front.close();
      database.close();
    }
    if (browser != null) {
      browser.close();
    }
  }

  @AfterEach
  void connect() {
    for (TcpProxy proxy : List.of(front, database)) {
      proxy.resume();
      proxy.refuse(false);
    }
  }

  @Test
  void saysHowOldThePageIsWhileTheServiceHangs() {
    open("/deliveries");
    Instant last = Instant.now();
    front.stall();
    assertStaleSince(last);
    front.resume();
    awaitFresh();
    browser.assertQuiet();
  }

  @Test
  void saysHowOldThePageIsWhileTheServiceIsNotReached() throws Exception {
    open("/deliveries");
    Instant last = Instant.now();
    front.refuse(true);
    front.reset();
    assertStaleSince(last);
    browser.assertAccessible("a page that is out of date");
    front.refuse(false);
    awaitFresh();
  }

  @Test
  void showsAndDropsTheBannerOnAPageThatIsOpen() throws Exception {
    open("/deliveries");
    Instant last = Instant.now();
    database.refuse(true);
    database.reset();
    await().until(() -> browser.text().contains(AWAY));
    assertStaleSince(last);
    browser.assertAccessible("a page with the banner");

    browser.driver().navigate().refresh();
    browser.awaitText("Not available now");
    assertThat(browser.text()).contains(AWAY, "Try again", "Back to the overview");
    database.refuse(false);
    await()
        .until(() -> {
          browser.follow("Try again");
          return browser.text().contains("There are no deliveries yet");
        });
    assertThat(browser.text()).doesNotContain(AWAY);
  }

  /** The banner polls by itself. */
  @Test
  void showsAndDropsTheBannerOnAPageWithoutLiveParts() {
    open("/keys");
    browser.mark();
    database.stall();
    await().until(() -> browser.text().contains(AWAY));
    database.resume();
    await().until(() -> !browser.text().contains(AWAY));
    awaitFresh();
    assertThat(browser.isMarked()).isTrue();
  }

  private void open(String page) {
    browser.go(throughFront(world.link(workspace, "admin", "ada")));
    browser.awaitText("Captures in the stream");
    browser.go(throughFront(world.url("/portal/" + workspace + page)));
    assertThat(browser.find("#stale").isDisplayed()).isFalse();
  }

  private static String throughFront(String url) {
    return url.replace(":" + world.internalPort() + "/", ":" + front.port() + "/");
  }

  private static void assertStaleSince(Instant last) {
    await().until(() -> browser.find("#stale").isDisplayed());
    String shown = browser.find("#stale time").getDomAttribute("datetime");
    assertThat(Instant.parse(requireNonNull(shown)))
        .isBetween(last.minus(ANSWERS_APART_MAX), last.plus(ANSWERS_APART_MAX));
    assertThat(browser.find("#stale").getText())
        .startsWith("This page shows the state of " + shown.substring(0, 10) + " ");
  }

  private static void awaitFresh() {
    await()
        .ignoreExceptions()
        .until(() -> !browser.driver().findElement(By.id("stale")).isDisplayed());
  }
}
