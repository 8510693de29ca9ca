package io.egress.api.pull;

import static io.egress.api.pull.PullAnswers.JSON;
import static io.egress.api.pull.PullAnswers.LIST;
import static io.egress.api.pull.PullAnswers.assertError;
import static io.egress.api.pull.PullAnswers.idsOf;
import static io.egress.api.pull.PullAnswers.names;
import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import io.egress.transcript.stream.Cursor;
import java.net.http.HttpResponse;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.UUID;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** The stream, page by page and one by one. */
class PullApiTest {
  private static FilledStream stream;

  @BeforeAll
  static void fill() {
    stream = FilledStream.fill();
  }

  @AfterAll
  static void close() {
    stream.service().close();
  }

  @Test
  void listsInOrderOfCompletionFiftyAtATimeByDefault() throws Exception {
    JsonNode page = stream.page("");

    assertThat(idsOf(page)).isEqualTo(stream.ids().subList(0, 50));
    assertThat(page.path("pageInfo").path("hasNextPage").isBoolean()).isTrue();
    assertThat(page.path("pageInfo").path("hasNextPage").booleanValue()).isTrue();
    assertThat(names(page)).containsExactly("captures", "pageInfo");
    assertThat(names(page.path("pageInfo"))).containsExactly("endCursor", "hasNextPage");
  }

  @ParameterizedTest
  @ValueSource(ints = {1, 7, 40, 100})
  void followsItsCursorsToTheEndWithoutGapOrRepeat(int limit) throws Exception {
    List<String> seen = new ArrayList<>();
    String after = "";
    boolean more = true;
    while (more) {
      JsonNode page = stream.page("?limit=" + limit + after);
      seen.addAll(idsOf(page));
      more = page.path("pageInfo").path("hasNextPage").booleanValue();
      after = "&after=" + page.path("pageInfo").path("endCursor").textValue();
    }
    assertThat(seen).isEqualTo(stream.ids());

    JsonNode beyond = stream.page("?limit=" + limit + after);
    assertThat(beyond.path("captures")).isEmpty();
    assertThat(beyond.path("pageInfo").path("endCursor").isNull()).isTrue();
    assertThat(beyond.path("pageInfo").path("hasNextPage").booleanValue()).isFalse();
  }

  private static String endCursor(String after, int limit) throws Exception {
    return stream
        .page("?limit=" + limit + (after.isEmpty() ? "" : "&after=" + after))
        .path("pageInfo")
        .path("endCursor")
        .textValue();
  }

  @Test
  void hasNoNextPageExactlyAtTheEnd() throws Exception {
    String lastButOne = endCursor(endCursor("", 100), FilledStream.SIZE - 101);
    JsonNode page = stream.page("?limit=1&after=" + lastButOne);

    assertThat(idsOf(page)).containsExactly(stream.ids().get(FilledStream.SIZE - 1));
    assertThat(page.path("pageInfo").path("hasNextPage").booleanValue()).isFalse();
  }

  @Test
  void answersAnEmptyStreamWithAnEmptyPage() {
    HttpResponse<String> answer =
        stream.service().pull(LIST, stream.service().mintKey(UUID.randomUUID()));

    assertThat(answer.body())
        .isEqualTo("{\"captures\":[],\"pageInfo\":{\"endCursor\":null,\"hasNextPage\":false}}");
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        "limit=0",
        "limit=101",
        "limit=-1",
        "limit=1.5",
        "limit=%205",
        "limit=5%20",
        "limit=",
        "limit=abc",
        "limit=1e1",
        "limit=+5",
        "limit=5&limit=6",
        "limit=99999999999",
        "limit=0x5",
        "after=",
        "after=nonsense",
        "after=%20"
      })
  void refusesAnInvalidLimitOrCursor(String query) throws Exception {
    HttpResponse<String> answer = stream.service().pull(LIST + "?" + query, stream.key());

    assertThat(answer.statusCode()).isEqualTo(400);
    assertError(answer, 400, query.substring(0, query.indexOf('=')));
  }

  @Test
  void refusesCursorsThatAreForeignOrAlteredOrBeyondTheHeadOrTwo() throws Exception {
    String own = stream.page("?limit=3").path("pageInfo").path("endCursor").asText();
    Cursor decoded = Cursor.decode(own).orElseThrow();
    for (String after :
        List.of(
            new Cursor(decoded.position(), decoded.chain() + 1).encode(),
            new Cursor(decoded.position() + 1, decoded.chain()).encode(),
            new Cursor(FilledStream.SIZE + 1, decoded.chain()).encode(),
            (own.charAt(20) == 'A'
                ? own.replace('A', 'B')
                : own.substring(0, 20) + "A" + own.substring(21)),
            own + "&after=" + own)) {
      assertError(stream.service().pull(LIST + "?after=" + after, stream.key()), 400, "after");
    }
  }

  @Test
  void ignoresUnknownQueryParameters() throws Exception {
    assertThat(idsOf(stream.page("?limit=1&sort=desc&cursor=x")))
        .containsExactly(stream.ids().get(0));
  }

  @Test
  void returnsOneCaptureAsTheListDoes() throws Exception {
    JsonNode one =
        JSON.readTree(stream.service().pull(LIST + "/" + stream.ids().get(7), stream.key()).body());
    JsonNode listed = stream.page("?limit=100").path("captures").get(7);

    assertThat(names(one))
        .containsExactly(
            "id",
            "workspace_id",
            "mode",
            "title",
            "summary",
            "started_at",
            "ended_at",
            "duration_ms",
            "device",
            "participants",
            "segments",
            "transcript_text",
            "calendar_event",
            "emitted_at");
    assertThat(without(one, "emitted_at")).isEqualTo(without(listed, "emitted_at"));
    assertThat(Instant.parse(one.path("emitted_at").textValue()))
        .isBefore(Instant.now().plusSeconds(1));
  }

  private static JsonNode without(JsonNode object, String field) {
    return ((ObjectNode) object.deepCopy()).without(field);
  }
}
