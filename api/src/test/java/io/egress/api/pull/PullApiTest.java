package io.egress.api.pull;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import com.fasterxml.jackson.databind.node.ObjectNode;
import io.egress.api.Service;
import io.egress.stream.Cursor;
import io.vertx.core.json.JsonObject;
import java.io.ByteArrayInputStream;
import java.net.InetAddress;
import java.net.Socket;
import java.net.URI;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.net.http.HttpResponse.BodyHandlers;
import java.nio.charset.StandardCharsets;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.UUID;
import java.util.zip.GZIPInputStream;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

class PullApiTest {
  private static final ObjectMapper JSON = new ObjectMapper();
  private static final int CAPTURES = 120;
  private static final String LIST = "/api/v1/captures";

  private static Service service;
  private static UUID workspace;
  private static String key;
  private static List<String> ids;

  @BeforeAll
  static void fill() {
    service = Service.start();
    workspace = UUID.randomUUID();
    key = service.mintKey(workspace);
    ids = new ArrayList<>();
    StringBuilder lines = new StringBuilder();
    for (int i = 0; i < CAPTURES; i++) {
      ids.add(UUID.randomUUID().toString());
      JsonObject capture =
          Service.capture(workspace)
              .put("id", ids.get(i))
              .put("title", "Capture " + i)
              // Order is by completion: conversation starts run backwards here.
              .put("started_at", Instant.parse("2026-01-01T00:00:00Z").minusSeconds(i));
      lines.append(capture.encode()).append('\n');
    }
    HttpResponse<String> imported =
        Service.send(
            HttpRequest.newBuilder(URI.create(service.internalUrl("/internal/v1/captures")))
                .header("authorization", "Bearer " + Service.TOKEN)
                .header("content-type", "application/x-ndjson")
                .POST(HttpRequest.BodyPublishers.ofString(lines.toString())));
    assertThat(imported.statusCode()).as(imported.body()).isEqualTo(200);
    await()
        .until(
            () ->
                service
                        .query("select 1 from stream where workspace_id = '" + workspace + "'")
                        .size()
                    == CAPTURES);
  }

  @AfterAll
  static void close() {
    service.close();
  }

  @Test
  void listsInOrderOfCompletionFiftyAtATimeByDefault() throws Exception {
    JsonNode page = page("");

    assertThat(idsOf(page)).isEqualTo(ids.subList(0, 50));
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
      JsonNode page = page("?limit=" + limit + after);
      seen.addAll(idsOf(page));
      more = page.path("pageInfo").path("hasNextPage").booleanValue();
      after = "&after=" + page.path("pageInfo").path("endCursor").textValue();
    }
    assertThat(seen).isEqualTo(ids);

    JsonNode beyond = page("?limit=" + limit + after);
    assertThat(beyond.path("captures")).isEmpty();
    assertThat(beyond.path("pageInfo").path("endCursor").isNull()).isTrue();
    assertThat(beyond.path("pageInfo").path("hasNextPage").booleanValue()).isFalse();
  }

  @Test
  void saysThereIsNoMoreExactlyAtTheEnd() throws Exception {
    String lastButOne = new Cursor(workspace, CAPTURES - 1).encode();
    JsonNode page = page("?limit=1&after=" + lastButOne);

    assertThat(idsOf(page)).containsExactly(ids.get(CAPTURES - 1));
    assertThat(page.path("pageInfo").path("hasNextPage").booleanValue()).isFalse();
  }

  @Test
  void answersAnEmptyStreamWithAnEmptyPage() {
    HttpResponse<String> answer = service.pull(LIST, service.mintKey(UUID.randomUUID()));

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
  void refusesABadLimitOrCursor(String query) throws Exception {
    HttpResponse<String> answer = service.pull(LIST + "?" + query, key);

    assertThat(answer.statusCode()).isEqualTo(400);
    assertError(answer, 400, query.substring(0, query.indexOf('=')));
  }

  @Test
  void refusesCursorsThatAreForeignOrAlteredOrBeyondTheHeadOrTwo() throws Exception {
    String own = new Cursor(workspace, 3).encode();
    for (String after :
        List.of(
            new Cursor(UUID.randomUUID(), 3).encode(),
            new Cursor(workspace, CAPTURES + 1).encode(),
            (own.charAt(20) == 'A'
                ? own.replace('A', 'B')
                : own.substring(0, 20) + "A" + own.substring(21)),
            own + "&after=" + own)) {
      assertError(service.pull(LIST + "?after=" + after, key), 400, "after");
    }
  }

  @Test
  void ignoresQueryNamesItDoesNotKnow() throws Exception {
    assertThat(idsOf(page("?limit=1&sort=desc&cursor=x"))).containsExactly(ids.get(0));
  }

  @Test
  void answers401ForEveryKeyThatIsNone() throws Exception {
    for (String header :
        List.of(
            "Bearer service_" + "A".repeat(32),
            "Bearer " + key.substring(0, key.length() - 1),
            "Bearer " + key + "x",
            "Bearer ",
            "Basic " + key,
            key)) {
      HttpResponse<String> answer =
          Service.send(
              HttpRequest.newBuilder(URI.create(service.publicUrl(LIST + "?limit=0")))
                  .header("authorization", header));
      assertError(answer, 401, "API key");
      assertThat(answer.headers().firstValue("www-authenticate")).contains("Bearer");
    }
    assertError(
        Service.send(HttpRequest.newBuilder(URI.create(service.publicUrl(LIST)))), 401, "API key");
    assertError(
        Service.send(HttpRequest.newBuilder(URI.create(service.publicUrl(LIST + "/no-uuid")))),
        401,
        "API key");
  }

  @Test
  void showsOneCaptureAsTheListDoes() throws Exception {
    JsonNode one = JSON.readTree(service.pull(LIST + "/" + ids.get(7), key).body());
    JsonNode listed = page("?limit=100").path("captures").get(7);

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

  @Test
  void refusesIdsThatAreNoUuidsAndCapturesThatAreNotInTheStream() throws Exception {
    assertError(service.pull(LIST + "/1-1-1-1-1", key), 400, "UUID");
    assertError(service.pull(LIST + "/" + UUID.randomUUID(), key), 404, "no such capture");
    assertError(
        service.pull(LIST + "/" + ids.get(0), service.mintKey(UUID.randomUUID())),
        404,
        "no such capture");
    UUID silent = UUID.randomUUID();
    service.put(silent, Service.capture(workspace).put("segments", List.of()));
    assertError(service.pull(LIST + "/" + silent, key), 404, "no such capture");
  }

  @Test
  void answersOtherPathsAndMethodsInTheSameForm() throws Exception {
    assertError(service.pull("/api/v2/captures", key), 404, "no such path");
    HttpResponse<String> answer =
        Service.send(
            HttpRequest.newBuilder(URI.create(service.publicUrl(LIST)))
                .header("authorization", "Bearer " + key)
                .DELETE());
    assertError(answer, 405, "GET");
    assertThat(answer.headers().firstValue("allow")).contains("GET, HEAD");
  }

  @ParameterizedTest
  @CsvSource({
    "GET /api/v1/captures/%zz HTTP/1.1, 400",
    "GET /api/v1/captures?limit=%zz HTTP/1.1, 400",
    "GET /api/v1/captures/%00 HTTP/1.1, 400",
    "GET /api/v1/captures?after=LONG HTTP/1.1, 414",
    "GET /api/v1/captures HTTP/1.1\\nx-large: LONG, 431",
    "NONSENSE, 400"
  })
  void answersWhatItCannotReadInTheSameForm(String head, int status) throws Exception {
    String request =
        head.replace("LONG", "x".repeat(20_000)).replace("\\n", "\r\n")
            + "\r\nhost: x\r\nauthorization: Bearer "
            + key
            + "\r\nconnection: close\r\n\r\n";
    try (Socket socket = new Socket(InetAddress.getLoopbackAddress(), service.app.publicPort())) {
      socket.getOutputStream().write(request.getBytes(StandardCharsets.UTF_8));
      String answer = new String(socket.getInputStream().readAllBytes(), StandardCharsets.UTF_8);
      assertThat(answer).matches("(?s)HTTP/1\\.[01] " + status + " .*");
      assertThat(answer)
          .contains("{\"error\":{\"message\":")
          .endsWith("\"status\":" + status + "}}");
    }
  }

  @Test
  void sendsTheSameBodyGzippedWhenAskedTo() throws Exception {
    HttpResponse<byte[]> zipped =
        Service.send(
            request(LIST + "?limit=100").header("accept-encoding", "br, gzip"),
            BodyHandlers.ofByteArray());
    HttpResponse<byte[]> plain =
        Service.send(
            request(LIST + "?limit=100").header("accept-encoding", "gzip;q=0"),
            BodyHandlers.ofByteArray());

    assertThat(zipped.headers().firstValue("content-encoding")).contains("gzip");
    assertThat(plain.headers().firstValue("content-encoding")).isEmpty();
    assertThat(zipped.headers().firstValue("vary")).contains("accept-encoding");
    JsonNode unzipped =
        JSON.readTree(new GZIPInputStream(new ByteArrayInputStream(zipped.body())).readAllBytes());
    assertThat(idsOf(unzipped)).isEqualTo(idsOf(JSON.readTree(plain.body())));
  }

  @Test
  void answersHeadWithoutABody() {
    for (String path : List.of(LIST, LIST + "/" + ids.get(0))) {
      HttpResponse<String> answer =
          Service.send(request(path).method("HEAD", HttpRequest.BodyPublishers.noBody()));
      assertThat(answer.statusCode()).isEqualTo(200);
      assertThat(answer.body()).isEmpty();
      assertThat(answer.headers().firstValue("content-type")).contains("application/json");
    }
  }

  @Test
  void marksEveryAnswer() {
    HttpResponse<String> answer = service.pull(LIST, key);
    assertThat(answer.headers().firstValue("cache-control")).contains("no-store");
    assertThat(answer.headers().firstValue("x-request-id")).isPresent();
    assertThat(
            Service.send(request("/nowhere").header("x-request-id", "trace-7"))
                .headers()
                .firstValue("x-request-id"))
        .contains("trace-7");
  }

  @Test
  void isLiveAndReadyOnBothListeners() {
    for (String url : List.of(service.publicUrl("/health/"), service.internalUrl("/health/"))) {
      for (String state : List.of("live", "ready")) {
        assertThat(Service.send(HttpRequest.newBuilder(URI.create(url + state))).statusCode())
            .isEqualTo(200);
      }
    }
  }

  private static HttpRequest.Builder request(String path) {
    return HttpRequest.newBuilder(URI.create(service.publicUrl(path)))
        .header("authorization", "Bearer " + key);
  }

  private static JsonNode page(String query) throws Exception {
    HttpResponse<String> answer = service.pull(LIST + query, key);
    assertThat(answer.statusCode()).as(answer.body()).isEqualTo(200);
    return JSON.readTree(answer.body());
  }

  private static void assertError(HttpResponse<String> answer, int status, String message)
      throws Exception {
    assertThat(answer.statusCode()).as(answer.body()).isEqualTo(status);
    JsonNode body = JSON.readTree(answer.body());
    assertThat(names(body)).containsExactly("error");
    assertThat(names(body.path("error"))).containsExactly("message", "status");
    assertThat(body.path("error").path("status").intValue()).isEqualTo(status);
    assertThat(body.path("error").path("message").textValue()).contains(message);
    assertThat(answer.headers().firstValue("content-type")).contains("application/json");
  }

  private static List<String> idsOf(JsonNode page) {
    List<String> found = new ArrayList<>();
    page.path("captures").forEach(capture -> found.add(capture.path("id").textValue()));
    return found;
  }

  private static List<String> names(JsonNode object) {
    List<String> names = new ArrayList<>();
    object.fieldNames().forEachRemaining(names::add);
    return names;
  }

  private static JsonNode without(JsonNode object, String field) {
    return ((ObjectNode) object.deepCopy()).without(field);
  }
}
