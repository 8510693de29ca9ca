package io.egress.api.hook;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.awaitility.Awaitility.await;

import io.egress.api.RawClient;
import io.egress.api.Service;
import io.vertx.core.json.JsonObject;
import java.io.UncheckedIOException;
import java.net.URI;
import java.net.http.HttpRequest;
import java.net.http.HttpRequest.BodyPublishers;
import java.net.http.HttpResponse;
import java.nio.charset.StandardCharsets;
import java.util.UUID;
import java.util.stream.IntStream;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.parallel.Execution;
import org.junit.jupiter.api.parallel.ExecutionMode;

@Execution(ExecutionMode.CONCURRENT)
class ImportTest {
  private static Service service;
  private final UUID workspace = UUID.randomUUID();

  @BeforeAll
  static void start() {
    service = Service.start();
  }

  @AfterAll
  static void stop() {
    service.close();
  }

  @Test
  void countsLinesAndReportsEachRefusedOne() {
    String first = line(UUID.randomUUID(), "One");
    UUID twice = UUID.randomUUID();
    UUID elsewhere = UUID.randomUUID();
    service.put(elsewhere, Service.capture(UUID.randomUUID()));
    String lines =
        String.join(
            "\n",
            first,
            "",
            "{\"mode\":",
            line(twice, "Two"),
            line(twice, "Two, fixed"),
            line(elsewhere, "Not ours"),
            first,
            Service.capture(workspace).encode());

    JsonObject report = new JsonObject(importLines(BodyPublishers.ofString(lines)).body());

    assertThat(report.getInteger("created")).isEqualTo(2);
    assertThat(report.getInteger("updated")).isEqualTo(1);
    assertThat(report.getInteger("unchanged")).isEqualTo(1);
    assertThat(report.getJsonArray("refused"))
        .extracting(line -> ((JsonObject) line).getInteger("line"))
        .containsExactlyInAnyOrder(3, 6, 8);
    assertThat(report.encode())
        .contains("not JSON")
        .contains("another workspace")
        .contains("id: is required");
  }

  @Test
  void entersTheStreamInFileOrder() {
    StringBuilder lines = new StringBuilder();
    for (int i = 0; i < 350; i++) {
      lines.append(line(UUID.randomUUID(), "n" + i)).append('\n');
    }
    importLines(BodyPublishers.ofString(lines.toString()));
    String inOrder =
        "select c.title from stream s join captures c on c.id = s.capture_id where s.workspace_id = '"
            + workspace
            + "' order by s.position";
    await().until(() -> service.query(inOrder).size() == 350);
    int[] next = {0};
    service.query(inOrder).forEach(row -> assertThat(row.getString(0)).isEqualTo("n" + next[0]++));
  }

  @Test
  void acceptsFilesLargerThanTheMemory() {
    int count = 3_000;
    String padding = "x".repeat(100_000);
    Iterable<byte[]> lines =
        () ->
            IntStream.range(0, count)
                .mapToObj(i ->
                    Service.capture(workspace)
                        .put("id", new UUID(7, i).toString())
                        .put("ignored", padding))
                .map(capture -> (capture.encode() + "\n").getBytes(StandardCharsets.UTF_8))
                .iterator();

    HttpResponse<String> answer = importLines(BodyPublishers.ofByteArrays(lines));

    assertThat(new JsonObject(answer.body()).getInteger("created")).isEqualTo(count);
  }

  @Test
  void abortsAFileThatIsNotNdjson() {
    HttpResponse<String> answer = importLines(BodyPublishers.ofString("nonsense\n".repeat(20_000)));

    JsonObject report = new JsonObject(answer.body());
    assertThat(report.getJsonArray("refused")).hasSize(ImportReport.REFUSED_MAX);
    assertThat(report.getInteger("stopped_at_line")).isEqualTo(ImportReport.REFUSED_MAX);
  }

  @Test
  void limitsTheNumberOfReportedReasons() {
    String line = "{\"mode\":\"" + "x".repeat(30) + "\"}\n";

    JsonObject report =
        new JsonObject(importLines(BodyPublishers.ofString(line.repeat(9_000))).body());

    assertThat(report.getInteger("stopped_at_line")).isLessThan(9_000);
    assertThat(report.encode().length()).isLessThan(2 * ImportReport.REASON_CHARS_MAX);
  }

  @Test
  void readsNoFurtherOnceItHasStopped() {
    String nonsense = "nonsense\n".repeat(1_000);
    String chunk = Integer.toHexString(nonsense.length()) + "\r\n" + nonsense + "\r\n";
    try (RawClient client =
        RawClient.to(service.app.internalPort())
            .send(
                RawClient.internal(
                    "POST /internal/v1/captures",
                    "content-type: application/x-ndjson",
                    "transfer-encoding: chunked"))) {
      for (int i = 0; i < 20; i++) {
        client.send(chunk);
      }
      client.await("stopped_at_line");

      assertThatThrownBy(
              () -> {
                while (true) {
                  client.send(chunk);
                }
              })
          .as("the server closes the connection")
          .isInstanceOf(UncheckedIOException.class);
    }
  }

  @Test
  void acceptsOnlyNdjson() {
    HttpResponse<String> answer =
        service.internal("POST", "/internal/v1/captures", line(UUID.randomUUID(), "x"));
    assertThat(answer.statusCode()).isEqualTo(415);
  }

  private HttpResponse<String> importLines(HttpRequest.BodyPublisher lines) {
    HttpResponse<String> answer =
        Service.send(
            HttpRequest.newBuilder(URI.create(service.internalUrl("/internal/v1/captures")))
                .header("authorization", "Bearer " + Service.TOKEN)
                .header("content-type", "application/x-ndjson; charset=utf-8")
                .POST(lines));
    assertThat(answer.statusCode()).as(answer.body()).isEqualTo(200);
    return answer;
  }

  private String line(UUID id, String title) {
    return Service.capture(workspace).put("id", id.toString()).put("title", title).encode();
  }
}
