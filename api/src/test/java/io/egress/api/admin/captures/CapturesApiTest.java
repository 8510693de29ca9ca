package io.egress.api.admin.captures;

import static org.assertj.core.api.Assertions.assertThat;

import io.egress.api.Service;
import io.vertx.core.json.JsonArray;
import io.vertx.core.json.JsonObject;
import java.net.URLEncoder;
import java.net.http.HttpResponse;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;
import java.util.UUID;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

class CapturesApiTest {
  private static final Service service = Service.shared();

  private final UUID workspace = UUID.randomUUID();

  @Test
  void listsTheNewestFirstInPages() {
    List<UUID> captures = service.enter(workspace, 7);

    List<String> seen = new ArrayList<>();
    JsonObject page = list("?limit=3");
    while (true) {
      page.getJsonArray("captures").forEach(each -> seen.add(((JsonObject) each).getString("id")));
      String next = page.getJsonObject("pageInfo").getString("endCursor");
      if (next == null) {
        break;
      }
      page = list("?limit=3&after=" + next);
    }

    assertThat(seen).isEqualTo(captures.reversed().stream().map(UUID::toString).toList());
  }

  @Test
  void showsWhatIdentifiesACapture() {
    UUID member = UUID.randomUUID();
    UUID id = put(titled("Numbers").put("mode", "manual").put("duration_ms", 900), member, "Ada");

    JsonObject listed = list("").getJsonArray("captures").getJsonObject(0);

    assertThat(listed.getString("id")).isEqualTo(id.toString());
    assertThat(listed.getString("title")).isEqualTo("Numbers");
    assertThat(listed.getString("mode")).isEqualTo("manual");
    assertThat(listed.getLong("position")).isEqualTo(1);
    assertThat(listed.getLong("duration_ms")).isEqualTo(900);
    assertThat(listed.getString("device")).isEqualTo("Kitchen");
    assertThat(listed.getInteger("speakers")).isEqualTo(2);
    assertThat(listed.getJsonArray("members")).containsExactly("Ada");
    assertThat(listed.getString("started_at")).isEqualTo("2026-01-02T03:04:05.000Z");
    assertThat(listed.getValue("erased_at")).isNull();
  }

  /** As it is shown, or as somebody would type it. */
  @ParameterizedTest
  @CsvSource(
      quoteCharacter = '|',
      value = {
        "Straße nach Köln, STRASSE NACH KOLN",
        "STRASSE, straße",
        "Ｆｕｌｌ　Ｗｉｄｔｈ, full width",
        "ガラス, ｶﾞﾗｽ",
        "Ὀδυσσεύς, οδυσσευς",
        "ΟΔΥΣΣΕΥΣ, Οδυσσεύς",
        "Ёлка, елка",
        "שָׁלוֹם, שלום",
        "مُحَمَّد, محمد",
        "crème brûlée, Creme Brulee",
        "two\u00a0 spaces, two spaces",
        "soft\u00adhyphen, softhyphen",
        "\u2068isolated\u2069 name, isolated name",
        "100%_sure, 100%_sure",
      })
  void findsATitleInManyScripts(String title, String typed) {
    UUID id = put(titled("An introduction: " + title + "!"));
    put(titled("Something else"));

    assertThat(ids("?search=" + encoded(typed))).containsExactly(id.toString());
    assertThat(ids("?search=" + encoded(title))).containsExactly(id.toString());
  }

  @Test
  void findsByIdMemberDeviceModeAndTime() {
    UUID ada = UUID.randomUUID();
    UUID first = put(titled("One"), ada, "Ada Lovelace");
    UUID second = put(titled("Two").put("mode", "manual"), UUID.randomUUID(), "Grace Hopper");

    assertThat(ids("?search=" + first)).containsExactly(first.toString());
    assertThat(ids("?search=" + UUID.randomUUID())).isEmpty();
    assertThat(ids("?member=lovelace")).containsExactly(first.toString());
    assertThat(ids("?member=" + ada)).containsExactly(first.toString());
    assertThat(ids("?member=nobody")).isEmpty();
    assertThat(ids("?device=kitch")).containsExactly(second.toString(), first.toString());
    assertThat(ids("?device=garden")).isEmpty();
    assertThat(ids("?mode=manual")).containsExactly(second.toString());
    assertThat(ids("?from=2026-01-01T00:00:00Z")).hasSize(2);
    assertThat(ids("?to=2026-01-01T00:00:00Z")).isEmpty();
    assertThat(ids("?member=hopper&mode=ambient")).isEmpty();
  }

  @Test
  void ofAnErasedCaptureOnlyItsPlaceIsLeft() {
    UUID id = put(titled("Secret"), UUID.randomUUID(), "Ada");
    service.internal("DELETE", "/internal/v1/captures/" + id, "{\"reason\":\"a request\"}");

    JsonObject listed = list("").getJsonArray("captures").getJsonObject(0);
    assertThat(listed.getString("id")).isEqualTo(id.toString());
    assertThat(listed.getString("erased_at")).isNotNull();
    for (String field : List.of("title", "mode", "started_at", "duration_ms", "device")) {
      assertThat(listed.getValue(field)).as(field).isNull();
    }
    assertThat(listed.getJsonArray("members")).isEmpty();
    assertThat(ids("?search=secret")).isEmpty();
    assertThat(ids("?mode=ambient")).isEmpty();
  }

  /** Of 20,000 captures a page that finds nothing goes on with the next ones. */
  @Test
  void aRareCaptureIsFoundPageByPage() {
    UUID id = put(titled("A needle"));
    List<UUID> others = IntStream.range(0, 30).mapToObj(_ -> put(titled("Hay"))).toList();
    assertThat(others).hasSize(30);

    assertThat(ids("?search=needle&limit=1")).containsExactly(id.toString());
  }

  @Test
  void showsNothingOfAnotherWorkspace() {
    UUID id = put(titled("Ours"));
    HttpResponse<String> other =
        service.internal(
            "GET", "/internal/v1/workspaces/" + UUID.randomUUID() + "/captures?search=" + id, "");

    assertThat(other.body()).doesNotContain(id.toString());
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        "limit=0",
        "limit=101",
        "after=x",
        "mode=loud",
        "from=yesterday",
        "search=",
        "search=a&search=b"
      })
  void refusesInvalidQueries(String query) {
    assertThat(service.internal("GET", path() + "?" + query, "").statusCode()).isEqualTo(400);
  }

  private String path() {
    return "/internal/v1/workspaces/" + workspace + "/captures";
  }

  private JsonObject list(String query) {
    HttpResponse<String> answer = service.internal("GET", path() + query, "");
    assertThat(answer.statusCode()).as(answer.body()).isEqualTo(200);
    return new JsonObject(answer.body());
  }

  private List<String> ids(String query) {
    return list(query).getJsonArray("captures").stream()
        .map(each -> ((JsonObject) each).getString("id"))
        .toList();
  }

  private JsonObject titled(String title) {
    return Service.capture(workspace)
        .put("title", title)
        .put(
            "device",
            new JsonObject().put("id", UUID.randomUUID().toString()).put("name", "Kitchen"));
  }

  private UUID put(JsonObject capture, UUID member, String name) {
    return put(
        capture.put(
            "participants",
            new JsonArray()
                .add(
                    new JsonObject()
                        .put("label", "S1")
                        .put("speech_ms", 900)
                        .put("match_confidence", 0.9)
                        .put(
                            "member",
                            new JsonObject().put("id", member.toString()).put("name", name)))
                .add(new JsonObject().put("label", "S2").put("speech_ms", 0))));
  }

  private UUID put(JsonObject capture) {
    UUID id = UUID.randomUUID();
    HttpResponse<String> answer = service.put(id, capture);
    assertThat(answer.statusCode()).as(answer.body()).isEqualTo(201);
    return id;
  }

  private static String encoded(String text) {
    return URLEncoder.encode(text, StandardCharsets.UTF_8);
  }
}
