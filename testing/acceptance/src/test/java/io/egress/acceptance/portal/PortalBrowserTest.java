package io.egress.acceptance.portal;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.egress.standalone.receiver.WebhookVerifier;
import io.egress.standalone.receiver.WebhookVerifier.Verdict;
import io.egress.webhook.delivery.DeliveryId;
import io.vertx.core.json.JsonArray;
import io.vertx.core.json.JsonObject;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.InstantSource;
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
import org.openqa.selenium.Keys;

/** The settings page in a browser, over a service that delivers. */
@Tag("full")
class PortalBrowserTest {
  private static final String HOSTILE =
      "<script>alert(1)</script>\"'><img src=x onerror=alert(2)><svg onload=alert(3)>";

  private static Chromium browser;
  private static PortalWorld world;

  private final UUID workspace = UUID.randomUUID();
  private final String page = "/portal/" + workspace;

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

  @BeforeEach
  void open() {
    browser.scheme("light");
    browser.desktop();
    browser.go(world.link(workspace, "admin", "ada@example.com"));
    browser.awaitText("Captures in the stream");
  }

  @Test
  void mintsAKeyThatPulls() throws Exception {
    browser.follow("API keys");
    browser.follow("Create a key");
    browser.type("name", "nightly export");
    browser.press("Create key");
    String key = browser.find("#secret").getText();

    assertThat(world.pullStatus(key)).isEqualTo(200);
    browser.click("Copy");
    browser.awaitText("Copied");
    browser.driver().executeScript("document.documentElement.classList.remove('scripted')");
    assertThat(browser.find("button[data-copy]").isDisplayed())
        .as("a button that does nothing without the script")
        .isFalse();

    browser.driver().navigate().refresh();
    assertThat(browser.text()).contains("nightly export").doesNotContain(key);
    assertThat(world.get("/workspaces/" + workspace + "/api-keys").getJsonArray("api_keys"))
        .as("loading the page again mints nothing")
        .hasSize(1);

    browser.follow("Delete");
    browser.press("Delete key");
    browser.awaitText("Key deleted");
    assertThat(world.pullStatus(key)).isEqualTo(401);
    browser.assertQuiet();
  }

  @Test
  void showsADeliveryAsItArrives() {
    browser.follow("Endpoints");
    browser.follow("Add an endpoint");
    browser.type("url", world.receiverUrl("live"));
    browser.type("description", "Search index");
    browser.press("Add endpoint");
    browser.awaitText("Signing secret of Search index");

    browser.follow("Deliveries");
    browser.awaitText("There are no deliveries");
    browser.mark();
    UUID capture = world.capture(workspace, "Roadmap review");
    browser.awaitText("Roadmap review");
    await().until(() -> world.count(workspace, "state=delivered") == 1);
    assertThat(browser.isMarked()).as("the page was not loaded again").isTrue();

    browser.follow("Roadmap review");
    browser.awaitText("status 200");
    assertThat(browser.text()).contains("{\"received\":true}", capture.toString());
    browser.find(".exchange summary").click();
    PortalWorld.Received webhook = world.received("live").get(0);
    assertThat(browser.text())
        .contains(
            "x-service-signature: " + webhook.headers().get("x-service-signature"),
            webhook.body().length() + " bytes",
            "curl -sS -X POST '" + world.receiverUrl("live") + "'");
    browser.click("Copy as curl");
    browser.awaitText("Copied");
    assertThat(
            world
                .get(
                    "/workspaces/"
                        + workspace
                        + "/deliveries/"
                        + webhook.headers().get("x-service-delivery")
                        + "?body=1")
                .getString("body"))
        .isEqualTo(webhook.body().toString());
    browser.assertAccessible("a delivery with its request");
    browser.assertQuiet();
  }

  @Test
  void searchesWhatWasSent() {
    world.endpoint(workspace, "sent", "Archive");
    world.capture(workspace, "Review of <b>review</b>, $1 a.b");
    await().until(() -> world.count(workspace, "state=delivered") == 1);
    browser.follow("Deliveries");
    browser.follow("Review of");
    browser.find(".exchange summary").click();
    browser.follow("read it");
    String json = browser.find("#sent").getText();
    assertThat(json).contains("\n    \"title\": \"Review of <b>review</b>, $1 a.b\"");

    browser.type("search", "rEVIEW");
    assertThat(browser.find("#matches").getText()).startsWith("1 of ");
    assertThat(browser.find("mark.current").getText()).isEqualTo("Review");
    browser.click("Next match");
    assertThat(browser.find("#matches").getText()).startsWith("2 of ");
    assertThat(browser.find("mark.current").getText()).isEqualTo("review");
    browser.assertAccessible("what was sent, searched");

    browser.type("search", "$1 a.b");
    assertThat(browser.find("#matches").getText()).isEqualTo("1 of 1");
    browser.click("Next match");
    assertThat(browser.find("#matches").getText()).isEqualTo("1 of 1");
    browser.type("search", "a.*b");
    assertThat(browser.find("#matches").getText()).isEqualTo("No match");
    assertThat(browser.find("#sent").getText()).isEqualTo(json);
    browser.assertQuiet();
  }

  @Test
  void sendsATest() {
    UUID endpoint = world.endpoint(workspace, "tested", "Search index");
    world.answer("tested", 418, "short and stout");
    browser.go(world.url(page + "/endpoints/" + endpoint));
    browser.press("Send a test");
    browser.awaitText("answered 418");
    assertThat(browser.text()).contains("short and stout");
    assertThat(world.received("tested")).hasSize(1);

    browser.driver().navigate().refresh();
    assertThat(browser.text()).contains("Search index").doesNotContain("answered 418");
    assertThat(world.received("tested")).as("loading the page again sends nothing").hasSize(1);
  }

  @Test
  void rotatesASecret() {
    UUID endpoint = world.endpoint(workspace, "rotated", "Search index");
    browser.go(world.url(page + "/endpoints/" + endpoint));
    browser.follow("Rotate secret");
    browser.choose("overlap", "1h");
    browser.press("Rotate secret");
    String secret = browser.find("#secret").getText();
    assertThat(browser.text()).contains("Both secrets sign until");

    world.capture(workspace, "After the rotation");
    await().until(() -> !world.received("rotated").isEmpty());
    PortalWorld.Received webhook = world.received("rotated").get(0);
    assertThat(
            new WebhookVerifier(secret, InstantSource.system())
                .verify(webhook.headers(), webhook.body()))
        .isInstanceOf(Verdict.Genuine.class);
    assertThat(webhook.headers().get("x-service-signature").split("v1=", -1)).hasSize(3);

    browser.driver().navigate().refresh();
    browser.press("End overlap of secrets");
    browser.awaitText("Only the newest secret signs");
  }

  @Test
  void redeliversAndReplaysWhatFailed() {
    UUID endpoint = world.endpoint(workspace, "down", "Search index");
    world.answer("down", 503, "out for lunch");
    UUID capture = world.captureInStream(workspace, "Missed talk");
    browser.go(world.url(page + "/deliveries/" + DeliveryId.of(endpoint, capture)));
    browser.awaitText("Attempt 2");
    browser.awaitText("given up");
    assertThat(browser.text()).contains("out for lunch");

    world.answer("down", 200, "");
    browser.press("Redeliver");
    browser.awaitText("is sent again");
    await().until(() -> world.count(workspace, "state=delivered&capture_id=" + capture) == 1);
    browser.go(world.url(page + "/deliveries?state=delivered&capture_id=" + capture));
    browser.awaitText("Missed talk");

    world.answer("down", 503, "");
    UUID second = world.captureInStream(workspace, "Also missed");
    browser.go(world.url(page + "/deliveries/" + DeliveryId.of(endpoint, second)));
    browser.awaitText("given up");
    world.answer("down", 200, "");
    int before = world.received("down").size();
    browser.go(world.url(page + "/endpoints/" + endpoint));
    browser.follow("Replay");
    browser.go(world.url(page + "/endpoints/" + endpoint + "/replay"));
    browser.press("Start replay");
    browser.awaitText("Replay started");
    browser.mark();
    browser.awaitText("Finished: 1 of 1 delivered.");
    assertThat(browser.text()).doesNotContain("Cancel replay");
    assertThat(browser.isMarked()).isTrue();
    assertThat(world.received("down")).hasSize(before + 1);
    browser.assertQuiet();
  }

  @Test
  void anErrorIsToldAtItsFieldAndANewEndpointIsTestedAtOnce() throws Exception {
    browser.go(world.url(page + "/endpoints/new"));
    browser.type("url", world.receiverUrl("new"));
    browser.find("summary").click();
    browser.type("max_per_second", "many");
    browser.press("Add endpoint");
    assertThat(browser.find("#max_per_second-problem").getText()).isNotBlank();
    assertThat(browser.driver().switchTo().activeElement().getAttribute("name"))
        .isEqualTo("max_per_second");
    assertThat(browser.find("[name=url]").getAttribute("value"))
        .isEqualTo(world.receiverUrl("new"));
    browser.assertAccessible("a form with an error");

    browser.type("max_per_second", "5");
    browser.press("Add endpoint");
    browser.awaitText("Signing secret of");
    browser.driver().findElement(By.xpath("//summary[.='Python']")).click();
    assertThat(browser.find("#code-receiver-py").getText())
        .isEqualToIgnoringWhitespace(
            Files.readString(Path.of("..", "..", "docs", "receivers", "receiver.py")));
    assertThat(browser.find("#code-receiver-py mark").getText()).isEqualTo("SIGNING_SECRET");
    browser.assertAccessible("an endpoint that was just added");
    browser.press("Send a test");
    browser.awaitText("status 200");

    browser.press("Pause");
    UUID missed = world.captureInStream(workspace, "Missed");
    await().until(() -> world.count(workspace, "state=skipped&capture_id=" + missed) == 1);
    browser.driver().navigate().refresh();
    browser.awaitText("and send what was not delivered: 1 skipped");
    browser.press("Resume");
    browser.awaitText("Finished: 1 of 1 delivered.");
    browser.assertQuiet();
  }

  @Test
  void selectedDeliveriesAreSentAgainAndFiltersStay() {
    UUID endpoint = world.endpoint(workspace, "picked", "Search index");
    for (int i = 1; i <= 3; i++) {
      world.captureInStream(workspace, "Talk " + i + " " + "and so on ".repeat(30));
    }
    await().until(() -> world.count(workspace, "state=delivered") == 3);
    browser.go(world.url(page + "/deliveries"));
    browser.type("title", "talk 2");
    browser.choose("outcome", "delivered");
    browser.press("Filter");
    assertThat(browser.text()).contains("Talk 2").doesNotContain("Talk 1");
    browser.choose("outcome", "timeout");
    browser.press("Filter");
    browser.awaitText("No matching deliveries");
    browser.go(world.url(page + "/deliveries"));
    browser.phone();
    for (int i = 1; i <= 3; i++) {
      assertThat(browser.find("tbody tr:nth-child(" + i + ")").getSize().getHeight())
          .as("two lines on a phone, however long the title")
          .isLessThan(90);
    }
    assertThat(browser.find("form.filter").getSize().getHeight())
        .as("the list begins on the first screen")
        .isLessThan(300);
    browser.desktop();
    browser.find("tbody tr:nth-child(1) input").click();
    browser.find("tbody tr:nth-child(3) input").click();
    world.capture(workspace, "Newer");
    browser.awaitText("Newer");
    assertThat(browser.driver().findElements(By.cssSelector("input:checked")))
        .as("stay selected when the list changes")
        .hasSize(2);
    assertThat(browser.find("tbody tr:nth-child(2)").getSize().getHeight())
        .as("one line, however long the title")
        .isLessThan(60);
    browser.press("Redeliver selected");
    browser.awaitText("The selected captures are sent again");
    await().until(() -> world.count(workspace, "state=delivered") == 6);
    assertThat(world.received("picked")).hasSize(6);

    browser.go(
        world.url(
            page + "/deliveries?endpoint=" + endpoint + "&from=2026-01-01T00:00&capture_id=x"));
    assertThat(browser.find("#capture_id-problem").getText()).contains("not an id");
    assertThat(browser.find("[name=capture_id]").getAttribute("aria-invalid")).isEqualTo("true");
    assertThat(browser.find("[name=from]").getAttribute("value")).startsWith("2026-01-01T00:00");
    assertThat(browser.find("[name=endpoint]").getAttribute("value"))
        .isEqualTo(endpoint.toString());
    assertThat(browser.driver().switchTo().activeElement().getAttribute("name"))
        .isEqualTo("capture_id");

    browser.type("capture_id", "");
    browser.press("Filter");
    browser.follow("Replay all that match");
    assertThat(browser.find("[name=from]").getAttribute("value")).startsWith("2026-01-01T00:00");
    assertThat(browser.find("input[value=all]").isSelected()).isTrue();
    browser.press("Start replay");
    browser.awaitText("Finished: 4 of 4 delivered.");
    browser.assertQuiet();
  }

  /** The overview says which endpoint is down, and one click sends what failed. */
  @Test
  void anEndpointThatIsDownIsTheFirstAndIsHealthyAfterItsReplay() {
    world.endpoint(workspace, "well", "Search index");
    UUID down = world.endpoint(workspace, "broken", "CRM");
    world.answer("broken", 503, "");
    for (int i = 0; i < 5; i++) {
      world.capture(workspace, "Talk " + i);
    }
    await().until(() -> world.count(workspace, "state=exhausted") == 5);
    await().until(() -> world.count(workspace, "state=delivered") == 5);
    browser.go(world.url(page + "/"));
    assertThat(browser.find(".endpoints tbody tr").getText())
        .contains("CRM", "down", "answered 503 Service Unavailable", "5 given up")
        .doesNotContain("Nothing left to deliver", "None of the last");
    assertThat(browser.text()).contains("5 of the last 5 attempts succeeded");

    world.answer("broken", 200, "");
    browser.press("Send again");
    browser.awaitText("Finished: 5 of 5 delivered.");
    assertThat(browser.text()).doesNotContain("Cancel replay");
    browser.go(world.url(page + "/endpoints/" + down));
    assertThat(browser.text())
        .contains("healthy", "5 of the last 15 attempts succeeded", "Nothing left to deliver")
        .doesNotContain("that were given up again");

    world.answer("broken", 503, "");
    browser.go(world.url(page + "/endpoints/" + down + "/replay"));
    browser.driver().findElement(By.cssSelector("input[value=all]")).click();
    browser.type("from_position", "1");
    browser.press("Start replay");
    browser.awaitText("Finished: 0 of 5 delivered, 5 given up.");
    assertThat(browser.find(".state").getAttribute("class")).contains("state-failed");
    browser.assertQuiet();
  }

  @Test
  void aWorkspaceSeesNothingOfAnother() {
    UUID endpoint = world.endpoint(workspace, "first", "Only the first");
    world.capture(workspace, "Only the first");
    browser.go(world.url(page + "/deliveries"));
    browser.awaitText("Only the first");

    browser.driver().manage().deleteAllCookies();
    UUID second = UUID.randomUUID();
    browser.go(world.link(second, "admin", null));
    browser.awaitText("Captures in the stream");
    for (String path :
        List.of("/", "/captures", "/keys", "/endpoints", "/deliveries", "/replays", "/audit")) {
      browser.go(world.url(page + path));
      assertThat(browser.text()).contains("Your session has ended");
      browser.go(world.url("/portal/" + second + path));
      assertThat(browser.text()).contains(second.toString()).doesNotContain("Only the first");
    }
    browser.go(world.url("/portal/" + second + "/endpoints/" + endpoint));
    assertThat(browser.text()).contains("Not found").doesNotContain("Only the first");
  }

  @Test
  void linksOpenOnce() {
    String link = world.link(workspace, "view", null);
    browser.go(link);
    browser.awaitText("view only");
    browser.go(link);
    browser.awaitText("This link has expired, has already been used");
    browser.go(link.substring(0, link.length() - 1) + (link.endsWith("A") ? "B" : "A"));
    browser.awaitText("This link has expired");
    browser.go(world.url(page + "/keys"));
    assertThat(browser.text()).doesNotContain("Create a key");
    browser.press("Close session");
    browser.awaitText("Session closed");
    browser.go(world.url(page + "/"));
    browser.awaitText("Your session has ended");
  }

  @Test
  void foreignTextIsInert() {
    UUID endpoint = hostileEndpoint();
    world
        .internal()
        .call(
            "POST",
            "/workspaces/" + workspace + "/api-keys",
            new JsonObject().put("name", HOSTILE));
    world.answer("hostile", 500, HOSTILE);
    UUID capture = UUID.randomUUID();
    JsonObject member =
        new JsonObject().put("id", UUID.randomUUID().toString()).put("name", HOSTILE);
    world
        .internal()
        .call(
            "PUT",
            "/captures/" + capture,
            new JsonObject()
                .put("workspace_id", workspace.toString())
                .put("mode", "ambient")
                .put("title", HOSTILE)
                .put("started_at", "2026-01-02T03:04:05Z")
                .put(
                    "device", new JsonObject().put("id", workspace.toString()).put("name", HOSTILE))
                .put(
                    "participants",
                    new JsonArray()
                        .add(
                            new JsonObject()
                                .put("label", "S1")
                                .put("member", member)
                                .put("speech_ms", 1)))
                .put(
                    "segments",
                    new JsonArray()
                        .add(
                            new JsonObject()
                                .put("start_ms", 0)
                                .put("end_ms", 1)
                                .put("speaker", "S1")
                                .put("text", HOSTILE))));
    browser.go(world.link(workspace, "admin", HOSTILE));
    browser.awaitText("Captures in the stream");
    browser.go(world.url(page + "/deliveries/" + DeliveryId.of(endpoint, capture)));
    browser.awaitText("given up");
    browser.go(world.url(page + "/endpoints/" + endpoint + "/replay"));
    browser.press("Start replay");
    browser.awaitText("Replay started");
    String replay = browser.driver().getCurrentUrl();

    for (String path :
        List.of(
            "/",
            "/captures",
            "/captures/" + capture,
            "/keys",
            "/endpoints",
            "/endpoints/" + endpoint,
            "/endpoints/" + endpoint + "/rotate",
            "/endpoints/" + endpoint + "/replay",
            "/endpoints/" + endpoint + "/delete",
            "/deliveries",
            "/deliveries/" + DeliveryId.of(endpoint, capture),
            "/replays",
            "/audit")) {
      browser.go(world.url(page + path));
      assertThat(browser.text()).as(path).contains("<script>alert(1)</script>");
      browser.assertQuiet();
    }
    browser.go(String.valueOf(replay));
    browser.assertQuiet();
  }

  private UUID hostileEndpoint() {
    return UUID.fromString(
        world
            .internal()
            .call(
                "POST",
                "/workspaces/" + workspace + "/endpoints",
                new JsonObject()
                    .put("url", world.receiverUrl("hostile") + "?q='%22%3E%3Cscript%3Ealert(4)")
                    .put("description", HOSTILE))
            .getString("id"));
  }

  @Test
  void everyPageIsAccessible() throws Exception {
    UUID endpoint = world.endpoint(workspace, "search", "Search index");
    UUID down = world.endpoint(workspace, "crm", "CRM");
    world.endpoint(workspace, "archive", "Archive of the legal department");
    world.answer("archive", 410, "gone");
    world
        .internal()
        .call(
            "PATCH",
            "/workspaces/" + workspace + "/endpoints/" + down,
            new JsonObject()
                .put("headers", new JsonObject().put("x-tenant", "acme"))
                .put("max_per_second", 20));
    world.answer("crm", 503, "{\"error\":\"maintenance until 14:00\"}");
    world
        .internal()
        .call(
            "POST",
            "/workspaces/" + workspace + "/api-keys",
            new JsonObject().put("name", "nightly export").put("expires_in", "90d"));
    world
        .internal()
        .call(
            "POST",
            "/workspaces/" + workspace + "/api-keys",
            new JsonObject().put("name", "dashboard"));
    for (String title :
        List.of(
            "Roadmap review",
            "Interview with the plant manager in Oslo",
            "Weekly sales call",
            "Incident 4711, what we learned",
            "Budget 2027")) {
      world.capture(workspace, title);
    }
    UUID capture = world.captureInStream(workspace, "Onboarding of the northern region");
    browser.go(world.url(page + "/deliveries/" + DeliveryId.of(down, capture)));
    browser.awaitText("given up");
    world.answer("crm", 200, "");
    browser.go(world.url(page + "/endpoints/" + down + "/replay"));
    browser.press("Start replay");
    browser.awaitText("6 delivered");
    String replay =
        String.valueOf(browser.driver().getCurrentUrl()).replaceFirst(".*(/replays/[^?]+).*", "$1");
    world.capture(workspace, "Standup");
    browser.go(world.url(page + "/deliveries"));
    browser.awaitText("Standup");

    Map<String, String> pages = new LinkedHashMap<>();
    pages.put("overview", "/");
    pages.put("captures", "/captures");
    pages.put("keys", "/keys");
    pages.put("key-new", "/keys/new");
    pages.put("endpoints", "/endpoints");
    pages.put("endpoint-new", "/endpoints/new");
    pages.put("endpoint", "/endpoints/" + down);
    pages.put("rotate", "/endpoints/" + endpoint + "/rotate");
    pages.put("delete", "/endpoints/" + endpoint + "/delete");
    pages.put("replay-start", "/endpoints/" + endpoint + "/replay");
    pages.put("deliveries", "/deliveries");
    pages.put("delivery", "/deliveries/" + DeliveryId.of(down, capture));
    pages.put("capture", "/captures/" + capture);
    pages.put("erase", "/captures/" + capture + "/erase");
    pages.put("replays", "/replays");
    pages.put("start-all", "/replays/start-all");
    pages.put("verification", "/verification");
    pages.put("replay", replay);
    pages.put("audit", "/audit");
    pages.put("nothing", "/deliveries?state=skipped");
    pages.put("not-found", "/nowhere");
    for (Map.Entry<String, String> shown : pages.entrySet()) {
      browser.go(world.url(page + shown.getValue()));
      browser.inspect(shown.getKey());
    }
    browser.desktop();
    browser.scheme("light");
    browser.go(world.url(page + "/keys/new"));
    browser.type("name", "shown once");
    browser.press("Create key");
    browser.assertAccessible("a new key");
    browser.screenshot("key-created-light");
  }

  @Test
  void worksWithoutAMouse() {
    browser.go(world.url(page + "/"));
    browser.driver().findElement(By.tagName("body")).sendKeys(Keys.TAB);
    assertThat(browser.driver().switchTo().activeElement().getText()).isEqualTo("Skip to content");
    browser.driver().switchTo().activeElement().sendKeys(Keys.ENTER);
    assertThat(browser.driver().switchTo().activeElement().getAttribute("id")).isEqualTo("main");
    browser.driver().switchTo().activeElement().sendKeys(Keys.TAB);
    assertThat(browser.driver().switchTo().activeElement())
        .as("the first control of the content")
        .isEqualTo(browser.driver().findElement(By.cssSelector("main :is(a, input, button)")));
  }
}
