package io.egress.acceptance.portal;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import java.util.Map;
import java.util.UUID;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.openqa.selenium.By;
import org.openqa.selenium.WebElement;

/** What people come for, in no more clicks than it should take, counted from the overview. */
@Tag("full")
class TwelveTasksTest {
  private static Chromium browser;
  private static PortalWorld world;

  private final UUID workspace = UUID.randomUUID();
  private int clicks;

  @BeforeAll
  static void start() {
    browser = Chromium.start();
    world = new PortalWorld(Map.of());
  }

  @AfterAll
  static void stop() throws Exception {
    if (world != null) {
      world.close();
    }
    if (browser != null) {
      browser.close();
    }
  }

  /** An endpoint that has given up a capture. */
  @BeforeEach
  void open() {
    String receiver = "r" + workspace;
    world.endpoint(workspace, receiver, "Search index");
    world.answer(receiver, 503, "out for lunch");
    world.captureInStream(workspace, "Missed talk");
    await().until(() -> world.count(workspace, "state=exhausted") == 1);
    world.answer(receiver, 200, "fine");
    browser.scheme("light");
    browser.desktop();
    browser.go(world.link(workspace, "admin", "ada@example.com"));
    browser.awaitText("Captures in the stream");
    clicks = 0;
  }

  @Test
  void createAKey() {
    follow("Create a key");
    browser.type("name", "nightly export");
    press("Create key");
    assertThat(browser.find("#secret").getText()).startsWith("service_");
    assertClicks(2);
  }

  @Test
  void addAndTestAnEndpoint() {
    follow("Add an endpoint");
    browser.type("url", world.receiverUrl("added"));
    press("Add endpoint");
    press("Send a test");
    browser.awaitText("status 200");
    assertClicks(3);
  }

  @Test
  void whyItFails() {
    browser.awaitText("503 Service Unavailable");
    assertClicks(0);
  }

  @Test
  void whatWasSentAndAnswered() {
    follow("Search index");
    follow("of #1");
    browser.awaitText("out for lunch");
    click(".exchange summary");
    assertThat(browser.text()).contains("x-service-signature: t=", "x-service-position: 1");
    assertClicks(3);
  }

  @Test
  void redeliverOneAndSeeTheResult() {
    follow("Search index");
    follow("of #1");
    press("Redeliver");
    browser.awaitText("status 200");
    assertClicks(3);
  }

  @Test
  void sendAllThatFailedOfAnEndpoint() {
    press("Send again");
    browser.awaitText("1 of 1 delivered");
    assertClicks(1);
  }

  @Test
  void sendAllThatFailedOfAWorkspace() {
    String second = "s" + workspace;
    world.endpoint(workspace, second, "CRM");
    world.answer(second, 503, "out for lunch");
    world.captureInStream(workspace, "Missed by one");
    await().until(() -> world.count(workspace, "state=exhausted") == 2);
    world.answer(second, 200, "fine");
    browser.driver().navigate().refresh();
    follow("Send again what was given up or skipped, to all endpoints");
    press("Send 2 deliveries again");
    await().until(() -> world.count(workspace, "state=delivered") == 3);
    assertClicks(2);
  }

  @Test
  void pauseAndResume() {
    follow("Search index");
    press("Pause");
    assertThat(browser.find("form[action$='/resume']").isDisplayed()).isTrue();
    assertClicks(2);
    press("Resume");
    browser.awaitText("1 of 1 delivered");
    assertClicks(3);
  }

  @Test
  void rotateASecret() {
    follow("Search index");
    follow("Rotate secret");
    press("Rotate secret");
    assertThat(browser.find("#secret").getText()).startsWith("whsec_");
    assertClicks(3);
  }

  @Test
  void findACaptureByTitleOrId() {
    browser.type("search", "missed TALK");
    press("Find");
    browser.awaitText("What was said");
    assertClicks(1);
  }

  @Test
  void eraseACapture() {
    browser.type("search", "Missed talk");
    press("Find");
    follow("Erase this capture");
    browser.type("reason", "requested by a participant");
    press("Erase capture");
    browser.awaitText("Readers no longer get it");
    assertClicks(3);
  }

  @Test
  void whoDidWhat() {
    follow("Audit log");
    browser.awaitText("endpoint.created");
    assertClicks(1);
  }

  @Test
  void proveThatNothingIsMissing() {
    follow("is anything missing?");
    browser.awaitText("Nothing is missing");
    assertClicks(1);
  }

  @Test
  void proveThatNothingIsMissingAtAnyEndpoint() {
    follow("Is anything missing at any endpoint?");
    browser.awaitText("Nothing is missing");
    assertClicks(1);
  }

  private void follow(String link) {
    clicks++;
    browser.follow(link);
  }

  private void press(String button) {
    clicks++;
    browser.press(button);
  }

  private void click(String css) {
    clicks++;
    WebElement element = browser.driver().findElement(By.cssSelector(css));
    element.click();
  }

  private void assertClicks(int most) {
    assertThat(clicks).isLessThanOrEqualTo(most);
  }
}
