package io.egress.api.portal;

import static org.assertj.core.api.Assertions.assertThat;

import io.egress.api.Service;
import io.vertx.core.json.JsonArray;
import io.vertx.core.json.JsonObject;
import java.net.http.HttpResponse;
import java.util.UUID;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/** The list of captures, and what a capture's page shows of the conversation. */
class CapturesPageTest {
  private static final Service service = Service.shared();

  private final UUID workspace = UUID.randomUUID();
  private final String page = "/portal/" + workspace + "/captures";
  private Browser browser;

  @BeforeEach
  void open() {
    browser = Browser.at(service, workspace, "admin");
  }

  @Test
  void aWorkspaceWithoutEndpointsHasAListToo() {
    assertThat(browser.get(page).body()).contains("There are no captures yet");
    UUID kickoff = put("Kickoff <Berlin>");
    UUID review = put("Review");

    String list = browser.get(page).body();
    assertThat(list).containsSubsequence(review.toString(), kickoff.toString());
    assertThat(list).contains("Kickoff &lt;Berlin>", "Ada", "Kitchen", "manual");

    assertThat(browser.get(page + "?search=KICKOFF").body())
        .contains(kickoff.toString())
        .doesNotContain(review.toString());
    assertThat(browser.get(page + "?search=" + review).body()).contains(">Review<");
    assertThat(browser.get(page + "?member=lovelace").body()).contains("No matching captures");
    assertThat(browser.get(page + "?mode=manual&device=kit").body()).contains(kickoff.toString());
  }

  @Test
  void whatIsWrongWithAFilterStandsBesideIt() {
    HttpResponse<String> answer =
        browser.get(page + "?member=" + "a".repeat(201) + "&from=soon&mode=loud");

    assertThat(answer.statusCode()).isEqualTo(400);
    assertThat(answer.body())
        .contains("longer than 200 characters", FilterQuery.NO_TIME, "no such mode", "show all");
  }

  @Test
  void olderOnesAreBehindALink() {
    service.enter(workspace, 51);
    String first = browser.get(page).body();
    assertThat(first).contains("Older captures", "#51").doesNotContain("#1<");

    String older = first.replaceFirst("(?s).*id=\"older\" href=\"([^\"]+)\".*", "$1");
    assertThat(browser.get(older.replace("&amp;", "&")).body())
        .contains("#1<")
        .doesNotContain("Older captures", "#2<");
  }

  /** As for bodies that were sent: sessions that could create a key may read it. */
  @Test
  void theBeginningIsShownToSessionsThatMayReadIt() {
    UUID id = put("Kickoff");

    assertThat(browser.get(page + "/" + id).body()).contains("What was said", "Good morning.");
    assertThat(Browser.at(service, workspace, "view").get(page + "/" + id).body())
        .contains("Kickoff")
        .doesNotContain("Good morning.");

    service.internal("DELETE", "/internal/v1/captures/" + id, "{\"reason\":\"a request\"}");
    assertThat(browser.get(page + "/" + id).body()).doesNotContain("Good morning.");
    assertThat(browser.get(page).body()).contains("Erased", "#1").doesNotContain("Kickoff");
  }

  @Test
  void aBlankTitleIsThatOfTheDocumentAndFoundByIt() {
    UUID empty = put("");
    UUID spaces = put("  \t ");
    UUID erased = put("Secret plans");
    service.internal("DELETE", "/internal/v1/captures/" + erased, "{\"reason\":\"a request\"}");

    String list = browser.get(page).body();
    assertThat(row(list, empty)).contains(">Untitled conversation</a>");
    assertThat(row(list, spaces)).contains(">Untitled conversation</a>");
    assertThat(row(list, erased)).contains(">Erased capture</a>");
    assertThat(browser.get(page + "?search=untitled").body())
        .contains(empty.toString(), spaces.toString())
        .doesNotContain(erased.toString());
  }

  /** Titles have up to 1,000 characters. */
  @Test
  void aLongTitleThatIsPastedFindsItsCapture() {
    String title = "Quarterly numbers of " + "everybody and ".repeat(25);
    UUID id = put(title);
    put("Quarterly numbers of nobody");

    assertThat(browser.get(page + "?search=" + title.replace(' ', '+')).body())
        .contains(id.toString())
        .doesNotContain("of nobody");
  }

  @Test
  void anErasedCaptureIsCalledThatAmongDeliveries() {
    service.internal(
        "POST",
        "/internal/v1/workspaces/" + workspace + "/endpoints",
        new JsonObject().put("url", "https://receiver.invalid/"));
    UUID erased = put("Secret plans");
    put("");
    service.internal("DELETE", "/internal/v1/captures/" + erased, "{\"reason\":\"a request\"}");

    assertThat(browser.get("/portal/" + workspace + "/deliveries").body())
        .contains("Erased capture", "Untitled conversation")
        .doesNotContain("Secret plans");
    assertThat(browser.get("/portal/" + workspace + "/deliveries?title=untitled").body())
        .contains("Untitled conversation")
        .doesNotContain("Erased capture");
  }

  /** A restored database may not have what was sent. */
  @Test
  void aDeliveryOfACaptureThatIsGoneIsListed() {
    service.internal(
        "POST",
        "/internal/v1/workspaces/" + workspace + "/endpoints",
        new JsonObject().put("url", "https://receiver.invalid/"));
    UUID gone = put("Kickoff");
    service.query(
        "set session_replication_role = replica; delete from captures where id = '%s'; reset session_replication_role"
            .formatted(gone));

    HttpResponse<String> deliveries = browser.get("/portal/" + workspace + "/deliveries");

    assertThat(deliveries.statusCode()).isEqualTo(200);
    assertThat(deliveries.body()).contains("Untitled conversation");
  }

  @Test
  void nobodyWhoSpokeIsLeftOutWithoutAWord() {
    JsonArray participants = new JsonArray();
    JsonArray segments = new JsonArray();
    for (int i = 1; i <= 60; i++) {
      String label = "S" + i;
      JsonObject participant = new JsonObject().put("label", label).put("speech_ms", 900);
      if (i <= 57) {
        participant
            .put("match_confidence", 0.9)
            .put(
                "member",
                new JsonObject()
                    .put("id", UUID.randomUUID().toString())
                    .put("name", "Member " + i));
      }
      participants.add(participant);
      segments.add(
          new JsonObject()
              .put("start_ms", i * 1_000)
              .put("end_ms", i * 1_000 + 900)
              .put("speaker", label)
              .put("text", "Here."));
    }
    UUID id = UUID.randomUUID();
    JsonObject capture =
        Service.capture(workspace).put("participants", participants).put("segments", segments);
    HttpResponse<String> answer = service.put(id, capture);
    assertThat(answer.statusCode()).as(answer.body()).isEqualTo(201);

    assertThat(row(browser.get(page).body(), id)).contains("Member 57, 3 unnamed");
    assertThat(browser.get(page + "/" + id).body())
        .contains("Member 50</bdi> and 10 more")
        .doesNotContain("Member 51</bdi>");
  }

  private static String row(String list, UUID id) {
    int begin = list.indexOf("id=\"capture-" + id);
    return list.substring(begin, list.indexOf("</tr>", begin));
  }

  private UUID put(String title) {
    UUID id = UUID.randomUUID();
    JsonObject capture =
        Service.capture(workspace)
            .put("title", title)
            .put("mode", "manual")
            .put(
                "device",
                new JsonObject().put("id", UUID.randomUUID().toString()).put("name", "Kitchen"))
            .put(
                "participants",
                new JsonArray()
                    .add(
                        new JsonObject()
                            .put("label", "S1")
                            .put("speech_ms", 900)
                            .put("match_confidence", 0.9)
                            .put(
                                "member",
                                new JsonObject()
                                    .put("id", UUID.randomUUID().toString())
                                    .put("name", "Ada"))))
            .put(
                "segments",
                new JsonArray()
                    .add(
                        new JsonObject()
                            .put("start_ms", 0)
                            .put("end_ms", 900)
                            .put("speaker", "S1")
                            .put("text", "Good morning.")));
    assertThat(service.put(id, capture).statusCode()).isEqualTo(201);
    return id;
  }
}
