package io.egress.api.pull;

import static io.egress.api.pull.PullAnswers.JSON;
import static io.egress.api.pull.PullAnswers.LIST;
import static io.egress.api.pull.PullAnswers.assertError;
import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.awaitility.Awaitility.await;

import com.fasterxml.jackson.databind.JsonNode;
import io.egress.api.Service;
import java.io.BufferedReader;
import java.io.ByteArrayInputStream;
import java.io.IOException;
import java.io.InputStreamReader;
import java.net.HttpURLConnection;
import java.net.URI;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.net.http.HttpResponse.BodyHandlers;
import java.util.ArrayList;
import java.util.List;
import java.util.UUID;
import java.util.concurrent.CompletableFuture;
import java.util.zip.GZIPInputStream;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

/** All of the stream in one response, a document a line. */
class WholeStreamTest {
  private static final int SIZE = 1_050;
  private static final String LINES = "application/x-ndjson";
  private static final String END = "{\"pageInfo\":{\"endCursor\":%s,\"hasNextPage\":false}}";

  private static FilledStream stream;

  @BeforeAll
  static void fill() {
    stream = FilledStream.fill(SIZE);
  }

  @AfterAll
  static void close() {
    stream.service().close();
  }

  @Test
  void containsTheDocumentsOfThePagesByteForByte() throws Exception {
    List<String> pages = new ArrayList<>();
    String after = "";
    String end = "";
    for (boolean more = true; more; ) {
      String page = stream.service().pull(LIST + "?limit=100" + after, stream.key()).body();
      JsonNode info = JSON.readTree(page).path("pageInfo");
      page.substring(page.indexOf('[') + 1, page.lastIndexOf("],\"pageInfo\""))
          .replaceAll("(\"emitted_at\":\"[^\"]+\"}),", "$1\n")
          .lines()
          .forEach(pages::add);
      end = info.path("endCursor").textValue();
      after = "&after=" + end;
      more = info.path("hasNextPage").booleanValue();
    }

    HttpResponse<String> whole = lines("");
    assertThat(whole.headers().firstValue("content-type")).contains(LINES);
    assertThat(whole.headers().firstValue("vary")).contains("accept, accept-encoding");
    assertThat(whole.headers().firstValue("link")).isEmpty();
    assertThat(whole.body()).endsWith("}\n");
    List<String> lines = new ArrayList<>(whole.body().lines().toList());
    assertThat(lines.remove(lines.size() - 1)).isEqualTo(END.formatted('"' + end + '"'));
    assertThat(JSON.readTree(lines.remove(1_000)).path("pageInfo").path("hasNextPage").asText())
        .isEqualTo("true");
    assertThat(withoutTime(lines)).isEqualTo(withoutTime(pages));
    assertThat(idsOf(lines)).isEqualTo(stream.ids());
  }

  @Test
  void isTheSameGzipped() throws Exception {
    HttpResponse<byte[]> zipped =
        Service.send(request("").header("accept-encoding", "gzip"), BodyHandlers.ofByteArray());
    assertThat(zipped.headers().firstValue("content-encoding")).contains("gzip");
    byte[] inflated = new GZIPInputStream(new ByteArrayInputStream(zipped.body())).readAllBytes();
    assertThat(withoutTime(new String(inflated, UTF_8).lines().toList()))
        .isEqualTo(withoutTime(lines("").body().lines().toList()));
  }

  @Test
  void beginsAfterACursorAndEndsWithTheEndOfTheStream() throws Exception {
    String cursor = stream.page("?limit=7").path("pageInfo").path("endCursor").textValue();
    List<String> lines = lines("?after=" + cursor).body().lines().toList();
    assertThat(idsOf(lines)).isEqualTo(stream.ids().subList(7, SIZE));

    String end =
        JSON.readTree(lines.get(lines.size() - 1)).path("pageInfo").path("endCursor").textValue();
    assertThat(lines("?after=" + end).body()).isEqualTo(END.formatted("null") + "\n");
  }

  @Test
  void anEmptyStreamIsOnlyTheLastLine() throws Exception {
    String key = stream.service().mintKey(UUID.randomUUID());
    assertThat(lines("", key).body()).isEqualTo(END.formatted("null") + "\n");
  }

  @Test
  void waitsForTheFirstDocument() throws Exception {
    UUID workspace = UUID.randomUUID();
    String key = stream.service().mintKey(workspace);
    CompletableFuture<HttpResponse<String>> answer =
        CompletableFuture.supplyAsync(() -> lines("?wait=30", key));
    await().until(() -> stream.service().metrics().anyMatch("egress_pull_held 1.0"::equals));
    String id = stream.service().enter(workspace, 1).get(0).toString();
    assertThat(idsOf(answer.get().body().lines().toList())).containsExactly(id);
  }

  @Test
  void aFailureInTheMiddleCutsItAndACursorGoesOn() throws Exception {
    FilledStream damaged = FilledStream.fill(SIZE);
    try (Service service = damaged.service()) {
      String id = damaged.ids().get(1_020);
      service.query(
          "update captures set speakers = '{}', revision = revision + 1 where id = '" + id + "'");
      List<String> lines = new ArrayList<>();
      // What was on its way when the response was cut may be lost.
      await()
          .until(() -> {
            lines.clear();
            lines.addAll(untilCut(damaged));
            return lines.size() > 1_000;
          });
      List<String> read = idsOf(lines.subList(0, 1_000));
      assertThat(read).isEqualTo(damaged.ids().subList(0, 1_000));
      JsonNode info = JSON.readTree(lines.get(1_000)).path("pageInfo");
      assertThat(info.path("hasNextPage").booleanValue()).isTrue();
      assertThat(lines).noneMatch(line -> line.contains("\"hasNextPage\":false"));

      service.put(UUID.fromString(id), Service.capture(damaged.workspace()));
      HttpResponse<String> rest =
          Service.send(
              damaged
                  .request(LIST + "?after=" + info.path("endCursor").textValue())
                  .header("accept", LINES));
      assertThat(idsOf(rest.body().lines().toList())).isEqualTo(damaged.ids().subList(1_000, SIZE));
      await().untilAsserted(() -> assertThat(service.memoryInUse("pull")).isEmpty());
    }
  }

  @ParameterizedTest
  @ValueSource(strings = {"?limit=100", "?limit=", "?limit=50&wait=1"})
  void refusesALimit(String query) throws Exception {
    assertError(lines(query), 400, "limit is for pages");
  }

  @ParameterizedTest
  @ValueSource(strings = {"?after=nonsense", "?wait=31", "?wait=x"})
  void refusesWhatPagesRefuse(String query) throws Exception {
    assertError(lines(query), 400, query.substring(1, 5));
  }

  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      value = {
        "application/x-ndjson | application/x-ndjson",
        "application/x-ndjson, */* | application/x-ndjson",
        "application/json;q=0.5, application/x-ndjson | application/x-ndjson",
        "application/json, application/x-ndjson | application/json",
        "application/x-ndjson, application/json | application/json",
        "application/x-ndjson;q=0 | application/json",
        "application/x-ndjson;q=0.4, application/json;q=0.5 | application/json",
        "text/html | application/json",
        "*/* | application/json",
        "application/* | application/json",
        "nonsense;;q=x, | application/json"
      })
  void isWhatTheClientPrefers(String accept, String type) {
    HttpResponse<String> answer =
        Service.send(
            stream
                .request(LIST)
                .header("accept", accept)
                .method("HEAD", HttpRequest.BodyPublishers.noBody()));
    assertThat(answer.statusCode()).isEqualTo(200);
    assertThat(answer.headers().firstValue("content-type")).contains(type);
  }

  private static List<String> untilCut(FilledStream from) throws IOException {
    List<String> lines = new ArrayList<>();
    try (BufferedReader body = reader(from)) {
      assertThatThrownBy(
              () -> {
                for (String line = body.readLine(); line != null; line = body.readLine()) {
                  lines.add(line);
                }
              })
          .isInstanceOf(IOException.class);
    }
    return lines;
  }

  /** The JDK's newer client drops what nobody has read yet when a response is cut. */
  private static BufferedReader reader(FilledStream from) throws IOException {
    HttpURLConnection connection =
        (HttpURLConnection) URI.create(from.service().publicUrl(LIST)).toURL().openConnection();
    connection.setRequestProperty("authorization", "Bearer " + from.key());
    connection.setRequestProperty("accept", LINES);
    return new BufferedReader(new InputStreamReader(connection.getInputStream(), UTF_8));
  }

  private static HttpRequest.Builder request(String query) {
    return stream.request(LIST + query).header("accept", LINES);
  }

  private static HttpResponse<String> lines(String query) {
    return Service.send(request(query));
  }

  private static HttpResponse<String> lines(String query, String key) {
    return Service.send(request(query).setHeader("authorization", "Bearer " + key));
  }

  private static List<String> withoutTime(List<String> documents) {
    return documents.stream()
        .map(document -> document.replaceFirst("\"emitted_at\":\"[^\"]+\"}$", ""))
        .toList();
  }

  /** Of the lines with documents. */
  private static List<String> idsOf(List<String> lines) throws IOException {
    List<String> ids = new ArrayList<>();
    for (String line : lines) {
      JsonNode id = JSON.readTree(line).path("id");
      if (!id.isMissingNode()) {
        ids.add(id.textValue());
      }
    }
    return ids;
  }
}
