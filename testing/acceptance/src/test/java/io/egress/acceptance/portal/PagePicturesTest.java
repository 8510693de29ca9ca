package io.egress.acceptance.portal;

import static org.awaitility.Awaitility.await;

import io.egress.webhook.delivery.DeliveryId;
import io.vertx.core.json.JsonArray;
import io.vertx.core.json.JsonObject;
import java.io.IOException;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.UUID;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/**
 * Every page of a workspace that is empty, usual and full, in both schemes and three widths: for
 * looking at. The pictures are in {@code target/portal}; docs/portal has copies of some.
 */
@Tag("long")
class PagePicturesTest {
  private static final int ENDPOINTS = 30;
  private static final List<String> TITLES =
      List.of(
          "Roadmap review",
          "Interview with the plant manager in Oslo",
          "Weekly sales call",
          "Incident 4711, what we learned",
          "\u202eBudget 2027",
          "مراجعة الميزانية السنوية مع فريق المالية",
          "",
          "Onboarding of the northern region, second session, with everybody who joined since March",
          "Standup");
  private static final List<String> NAMES =
      List.of(
          "CRM",
          "Search index",
          "Archive of the legal department",
          "Knowledge base of customer support, Europe and Middle East",
          "Nightly analytics",
          "بحث",
          "Data lake");

  private static Chromium browser;
  private static PortalWorld world;

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

  @Test
  void ofAWorkspaceThatIsEmpty() throws IOException {
    UUID workspace = UUID.randomUUID();
    world.name(workspace, "Northwind");
    open(workspace);
    pictureAll(
        "empty",
        workspace,
        List.of(
            "/",
            "/captures",
            "/keys",
            "/keys/new",
            "/endpoints",
            "/endpoints/new",
            "/deliveries",
            "/replays",
            "/audit"));
  }

  @Test
  void ofAWorkspaceAsUsual() throws IOException {
    UUID workspace = UUID.randomUUID();
    world.name(workspace, "Caldera Legal");
    List<UUID> endpoints = endpoints(workspace, 3);
    picture("usual", workspace, endpoints, 9);
  }

  @Test
  void ofAWorkspaceThatIsFull() throws IOException {
    UUID workspace = UUID.randomUUID();
    world.name(
        workspace, "Acme Search and Rescue Worldwide Incorporated, Department of Transcripts");
    List<UUID> endpoints = endpoints(workspace, ENDPOINTS);
    picture("full", workspace, endpoints, 40);
    browser.go(world.operatorLink("grace@example.com"));
    browser.awaitText("Workspaces");
    browser.pictureEverywhere("operator");
    browser.go(world.url("/portal/operator/captures"));
    browser.pictureEverywhere("operator-captures");
  }

  private static void picture(String state, UUID workspace, List<UUID> endpoints, int captures)
      throws IOException {
    keys(workspace);
    List<UUID> put = new ArrayList<>();
    for (int i = 0; i < captures; i++) {
      put.add(world.capture(workspace, TITLES.get(i % TITLES.size())));
    }
    UUID failing = endpoints.get(1);
    await().until(() -> world.count(workspace, "state=exhausted") > 0);
    UUID erased = put.get(2);
    await().until(() -> world.count(workspace, "capture_id=" + erased) > 0);
    world
        .internal()
        .call("DELETE", "/captures/" + erased, new JsonObject().put("reason", "on request"));
    world
        .internal()
        .call(
            "POST",
            "/workspaces/" + workspace + "/endpoints/" + failing + "/replays",
            new JsonObject().put("from_position", 1));
    open(workspace);
    String endpoint = "/endpoints/" + failing;
    String capture = "/captures/" + put.get(3);
    String delivery = "/deliveries/" + DeliveryId.of(failing, put.get(3));
    pictureAll(
        state,
        workspace,
        List.of(
            "/",
            "/captures",
            capture,
            capture + "/erase",
            "/captures/" + erased,
            "/keys",
            "/endpoints",
            "/endpoints/" + endpoints.getFirst(),
            endpoint,
            endpoint + "/rotate",
            endpoint + "/delete",
            endpoint + "/replay",
            endpoint + "/verification",
            "/deliveries",
            delivery,
            delivery + "/sent?attempt=1",
            "/replays",
            "/replays/start-all",
            "/verification",
            "/audit"));
  }

  private static List<UUID> endpoints(UUID workspace, int count) {
    List<UUID> ids = new ArrayList<>();
    for (int i = 0; i < count; i++) {
      String receiver = "r" + i + "-" + workspace;
      if (i % 3 == 1) {
        world.answer(receiver, i % 2 == 0 ? 410 : 503, "out for lunch");
      }
      ids.add(world.endpoint(workspace, receiver, NAMES.get(i % NAMES.size())));
      if (i % 7 == 5) {
        world
            .internal()
            .call(
                "PATCH",
                "/workspaces/" + workspace + "/endpoints/" + ids.getLast(),
                new JsonObject().put("paused", true));
      }
    }
    return ids;
  }

  private static void keys(UUID workspace) {
    String path = "/workspaces/" + workspace + "/api-keys";
    world.internal().call("POST", path, new JsonObject().put("name", "nightly export"));
    world
        .internal()
        .call(
            "POST",
            path,
            new JsonObject()
                .put("name", "dashboard of the northern region")
                .put("expires_in", "90d")
                .put("filter", new JsonObject().put("modes", new JsonArray().add("manual"))));
  }

  private static void open(UUID workspace) {
    browser.scheme("light");
    browser.desktop();
    browser.go(world.link(workspace, "admin", "ada@example.com"));
    browser.awaitText("Captures in the stream");
  }

  private static void pictureAll(String state, UUID workspace, List<String> pages)
      throws IOException {
    for (int i = 0; i < pages.size(); i++) {
      browser.go(world.url("/portal/" + workspace + pages.get(i)));
      String kind = pages.get(i).replaceAll("[0-9a-f-]{36}", "one").replaceAll("[^a-z]+", "-");
      browser.pictureEverywhere(
          "%s-%02d%s".formatted(state, i, kind.equals("-") ? "-overview" : kind));
    }
  }
}
