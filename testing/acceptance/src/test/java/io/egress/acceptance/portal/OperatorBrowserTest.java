package io.egress.acceptance.portal;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.egress.webhook.delivery.DeliveryId;
import io.vertx.core.json.JsonObject;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.UUID;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.openqa.selenium.By;
import org.openqa.selenium.WebElement;

/** An operator at the pages of all workspaces, in a browser, over a service that delivers. */
@Tag("full")
class OperatorBrowserTest {
  private static Chromium browser;
  private static PortalWorld world;

  private final UUID workspace = UUID.randomUUID();
  private final String page = "/portal/operator/" + workspace;

  @BeforeAll
  static void start() {
    browser = Chromium.start();
    world = new PortalWorld(Map.of("EGRESS_RETENTION", "400d"));
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

  @BeforeEach
  void open() {
    browser.scheme("light");
    browser.desktop();
    browser.go(world.operatorLink("grace@example.com"));
    browser.awaitText("Workspaces");
  }

  /** From the list to what is wrong, mends it, and back; then a person's request to be erased. */
  @Test
  void mendsAWorkspaceAndErasesACapture() {
    String endpoint = "mended-" + workspace;
    world.endpoint(workspace, endpoint, "CRM");
    world.name(workspace, "Northwind");
    world.answer(endpoint, 503, "");
    UUID capture = world.captureInStream(workspace, "A private talk");
    for (int i = 1; i < 5; i++) {
      world.capture(workspace, "Talk " + i);
    }
    await().until(() -> world.count(workspace, "state=exhausted") == 5);
    browser.go(world.url("/portal/operator/"));
    browser.awaitText("CRM is down: answered 503 Service Unavailable");
    assertThat(browser.text()).contains("5 given up or skipped", "400 d");

    browser.follow("Northwind");
    assertThat(browser.find(".workspace").getText()).contains("Northwind");
    world.answer(endpoint, 200, "");
    browser.press("Send again");
    browser.awaitText("Finished: 5 of 5 delivered.");
    browser.follow("All workspaces");
    browser.type("search", "northw");
    browser.press("Search");
    assertThat(browser.text()).contains("1 healthy").doesNotContain("CRM is down");

    browser.follow("Find a capture");
    browser.type("id", UUID.randomUUID().toString());
    browser.press("Find");
    browser.awaitText("never received a capture with this id");
    browser.type("id", capture.toString());
    browser.press("Find");
    browser.awaitText("A private talk");
    browser.follow("Erase this capture");
    browser.assertAccessible("the form to erase a capture");
    browser.type("reason", "requested by a participant");
    browser.press("Erase capture");
    browser.awaitText("Capture erased");
    assertThat(browser.text())
        .contains("requested by a participant", "by grace@example.com")
        .doesNotContain("A private talk", "Erase this capture");
    browser.assertQuiet();

    browser.press("Close session");
    browser.awaitText("Session closed");
    browser.go(world.url(page + "/"));
    browser.awaitText("Your session has ended");
  }

  @Test
  void everyPageIsAccessible() throws Exception {
    UUID down = world.endpoint(workspace, "crm-of-acme", "CRM");
    world.endpoint(workspace, "search-of-acme", "Search index");
    world.name(workspace, "Acme Search");
    world.answer("crm-of-acme", 503, "{\"error\":\"maintenance until 14:00\"}");
    UUID capture = world.captureInStream(workspace, "Onboarding of the northern region");
    UUID paused = other("Bluebird Logistics", "Archive");
    world
        .internal()
        .call(
            "PATCH",
            "/workspaces/"
                + paused
                + "/endpoints/"
                + world
                    .get("/workspaces/" + paused + "/endpoints")
                    .getJsonArray("endpoints")
                    .getJsonObject(0)
                    .getString("id"),
            new JsonObject().put("paused", true));
    other("مستشفى المدينة", "قاعدة البيانات");
    other("Ναυπηγεία Ερμής", "Αναζήτηση");
    UUID held = other("Caldera Legal", "Discovery");
    world
        .internal()
        .call(
            "PATCH",
            "/workspaces/" + held,
            new JsonObject().put("legal_hold", true).put("retention", "3650d"));
    await().until(() -> world.count(workspace, "state=exhausted") == 1);

    Map<String, String> pages = new LinkedHashMap<>();
    pages.put("workspaces", "/portal/operator/");
    pages.put("find-capture", "/portal/operator/captures");
    pages.put("find-capture-unknown", "/portal/operator/captures?id=" + UUID.randomUUID());
    pages.put("operator-overview", page + "/");
    pages.put("operator-capture", page + "/captures/" + capture);
    pages.put("operator-delivery", page + "/deliveries/" + DeliveryId.of(down, capture));
    pages.put("operator-not-found", "/portal/operator/" + UUID.randomUUID() + "/");
    for (Map.Entry<String, String> shown : pages.entrySet()) {
      browser.go(world.url(shown.getValue()));
      browser.inspect(shown.getKey());
    }
  }

  /** A workspace with an endpoint that got a capture. */
  private static UUID other(String name, String endpoint) {
    UUID other = UUID.randomUUID();
    world.endpoint(other, "of-" + other, endpoint);
    world.name(other, name);
    world.capture(other, "Standup");
    await().until(() -> world.count(other, "state=delivered") == 1);
    return other;
  }

  /** Long titles, from right to left, without spaces, and with marks on top of each other. */
  @Test
  void titlesInAnyScriptStayWithinTheirPlace() throws Exception {
    UUID endpoint = world.endpoint(workspace, "any-script", "متلقي الإشعارات");
    for (String title :
        List.of(
            "اجتماع المراجعة الربعية مع فريق المبيعات ".repeat(12),
            "四半期の売上レビューと来期の計画について".repeat(25),
            "👩‍👩‍👧‍👦🏳️‍🌈🇯🇵".repeat(27),
            "Z̸̢̛̰̈́͊a̷̧̛͓̎͝l̵̨̛̳͗͠g̶̡̛̬̈́̕o̷̢̧͓̊".repeat(12),
            "Donaudampfschifffahrtsgesellschaftskapitän".repeat(11),
            "<b>Bold</b> & \"quoted\" ".repeat(20))) {
      world.captureInStream(workspace, cut(title));
    }
    UUID newest = world.captureInStream(workspace, cut("ملخص قصير (١)، ثم المزيد. ".repeat(18)));
    await().until(() -> world.count(workspace, "state=delivered") == 7);

    Map<String, String> pages = new LinkedHashMap<>();
    pages.put("titles-overview", "/");
    pages.put("titles-deliveries", "/deliveries");
    pages.put("titles-delivery", "/deliveries/" + DeliveryId.of(endpoint, newest));
    pages.put("titles-capture", "/captures/" + newest);
    pages.put("titles-erase", "/captures/" + newest + "/erase");
    for (Map.Entry<String, String> shown : pages.entrySet()) {
      browser.go(world.url(page + shown.getValue()));
      browser.measure(shown.getKey());
    }
    browser.go(world.url(page + "/deliveries"));
    for (Chromium.Screen screen : List.of(Chromium.Screen.DESKTOP, Chromium.Screen.TABLET)) {
      browser.show(screen);
      for (int i = 1; i <= 7; i++) {
        WebElement row = browser.find("tbody tr:nth-child(" + i + ")");
        assertThat(row.getSize().getHeight()).as("one line, whatever the title").isLessThan(60);
        assertThat(row.findElement(By.cssSelector(".col-capture")).getSize().getWidth())
            .as("room for the title")
            .isGreaterThan(200);
      }
    }
    browser.desktop();
    assertThat(browser.text()).contains("<b>Bold</b> & \"quoted\"");
  }

  /** To the 500 characters that a title may have. */
  private static String cut(String title) {
    int characters = Math.min(500, title.codePointCount(0, title.length()));
    return title.substring(0, title.offsetByCodePoints(0, characters));
  }
}
