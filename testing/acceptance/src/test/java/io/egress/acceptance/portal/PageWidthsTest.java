package io.egress.acceptance.portal;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.egress.webhook.delivery.DeliveryId;
import io.vertx.core.json.JsonArray;
import io.vertx.core.json.JsonObject;
import java.util.List;
import java.util.Map;
import java.util.UUID;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** Every text that somebody can give, at its limit and without a space, on every page. */
@Tag("full")
class PageWidthsTest {
  private static final int HEIGHT_MAX = 6_000;

  private static Chromium browser;
  private static PortalWorld world;

  private final UUID workspace = UUID.randomUUID();

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

  @ParameterizedTest
  @CsvSource({"latin, W", "chinese, 漢", "arabic, م", "thai, ก", "emoji, 😀"})
  void staysWithinItsPlace(String script, String character) {
    world.name(workspace, text(character, 200));
    String path = "/workspaces/" + workspace;
    world
        .internal()
        .call("POST", path + "/api-keys", new JsonObject().put("name", text(character, 100)));
    world.answer(script, 503, text(character, 400));
    JsonObject endpoint =
        world
            .internal()
            .call(
                "POST",
                path + "/endpoints",
                new JsonObject()
                    .put("url", world.receiverUrl(script + "?" + "u".repeat(1_500)))
                    .put("description", text(character, 1_000))
                    .put("headers", new JsonObject().put("x-" + "h".repeat(60), "v")));
    UUID id = UUID.fromString(endpoint.getString("id"));
    UUID capture = capture(character);
    await().until(() -> world.count(workspace, "state=exhausted") == 1);
    UUID erased = capture(character);
    world
        .internal()
        .call(
            "DELETE", "/captures/" + erased, new JsonObject().put("reason", text(character, 500)));

    browser.go(world.link(workspace, "admin", text(character, 200)));
    browser.awaitText("Captures in the stream");
    String delivery = "/deliveries/" + DeliveryId.of(id, capture);
    for (String page :
        List.of(
            "/",
            "/captures",
            "/captures/" + capture,
            "/captures/" + capture + "/erase",
            "/captures/" + erased,
            "/keys",
            "/keys/new",
            "/endpoints",
            "/endpoints/new",
            "/endpoints/" + id,
            "/endpoints/" + id + "/rotate",
            "/endpoints/" + id + "/delete",
            "/endpoints/" + id + "/replay",
            "/endpoints/" + id + "/verification",
            "/deliveries",
            delivery,
            delivery + "/sent?attempt=1",
            "/replays",
            "/replays/start-all",
            "/verification",
            "/audit")) {
      assertFits("/portal/" + workspace + page, script);
    }
    browser.go(world.url("/portal/" + workspace + "/deliveries"));
    browser.phone();
    assertThat(browser.find("tbody tr:last-child").getText())
        .as("a phone shows how the delivery failed")
        .contains("answered with an error");

    browser.go(world.operatorLink(text(character, 200)));
    browser.awaitText("Workspaces");
    for (String page :
        List.of(
            "/",
            "/captures",
            "/captures?id=" + UUID.randomUUID(),
            "/" + workspace + "/",
            "/" + workspace + "/captures/" + capture,
            "/" + workspace + "/deliveries",
            "/" + workspace + delivery)) {
      assertFits("/portal/operator" + page, script);
    }
  }

  private static void assertFits(String path, String script) {
    browser.go(world.url(path));
    for (Chromium.Screen screen : Chromium.Screen.CHECKED) {
      browser.show(screen);
      String shown = path + " in " + script + " on a " + screen;
      browser.assertNoSidewaysScrolling(shown);
      browser.assertTextsFit(shown);
      assertThat(browser.number("document.documentElement.scrollHeight"))
          .as(shown)
          .isLessThan(HEIGHT_MAX);
    }
  }

  private UUID capture(String character) {
    UUID id = UUID.randomUUID();
    JsonObject member =
        new JsonObject().put("id", UUID.randomUUID().toString()).put("name", text(character, 300));
    world
        .internal()
        .call(
            "PUT",
            "/captures/" + id,
            new JsonObject()
                .put("workspace_id", workspace.toString())
                .put("mode", "ambient")
                .put("title", text(character, 500))
                .put("started_at", "2026-01-02T03:04:05Z")
                .put(
                    "device",
                    new JsonObject()
                        .put("id", UUID.randomUUID().toString())
                        .put("name", text(character, 300)))
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
                                .put("text", text(character, 2_000)))));
    return id;
  }

  private static String text(String character, int count) {
    return character.repeat(count);
  }
}
