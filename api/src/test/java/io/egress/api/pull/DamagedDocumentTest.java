package io.egress.api.pull;

import static io.egress.api.pull.PullAnswers.JSON;
import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import io.egress.api.Service;
import io.vertx.core.json.JsonObject;
import java.io.ByteArrayInputStream;
import java.io.IOException;
import java.net.http.HttpResponse;
import java.net.http.HttpResponse.BodyHandlers;
import java.util.ArrayList;
import java.util.List;
import java.util.UUID;
import java.util.zip.GZIPInputStream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.parallel.Execution;
import org.junit.jupiter.api.parallel.ExecutionMode;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Damaged rows. */
@Execution(ExecutionMode.CONCURRENT)
class DamagedDocumentTest {
  private static final int NTH = 3;

  private FilledStream stream;

  @BeforeEach
  void start() {
    stream = FilledStream.fill();
  }

  @AfterEach
  void stop() {
    stream.service().close();
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        "crc32 = crc32 + 1",
        "length = length - 1",
        "checksum = 0",
        "deflated = set_byte(deflated, 20, get_byte(deflated, 20) # 1)",
        "deflated = substr(deflated, 1, 10)",
        "renderer = 0, deflated = substr(deflated, 1, 10)"
      })
  void stopPullsUntilTheirCaptureIsPutAgain(String damage) throws Exception {
    List<JsonNode> before = documents();
    String damaged = stream.ids().get(NTH);
    Service service = stream.service();
    service.query("update documents set %s where capture_id = '%s'".formatted(damage, damaged));

    assertStopsPulls(damaged);
    assertThat(counted("egress_documents_unrenderable_total")).isEqualTo(1);

    JsonObject unchanged = FilledStream.capture(stream.workspace(), NTH);
    assertThat(service.put(UUID.fromString(damaged), unchanged).statusCode()).isEqualTo(200);
    assertThat(documents()).isEqualTo(before);
  }

  @ParameterizedTest
  @ValueSource(strings = {"speakers", "members"})
  void ofOtherSegmentsOrParticipantsIsDamaged(String column) throws Exception {
    String damaged = stream.ids().get(NTH);
    stream
        .service()
        .query(
            "update captures set %s = '{null, null, null}', revision = revision + 1 where id = '%s'"
                .formatted(column, damaged));

    assertStopsPulls(damaged);
  }

  @Test
  void refusesAnotherSpeakerUntilItsCaptureIsPutAgain() {
    String damaged = stream.ids().get(NTH);
    Service service = stream.service();
    service.query("update documents set checksum = 0 where capture_id = '%s'".formatted(damaged));
    String speaker = "/internal/v1/captures/%s/participants/S1".formatted(damaged);
    JsonObject nobody = new JsonObject().putNull("member");

    assertThat(service.internal("PATCH", speaker, nobody).statusCode()).isEqualTo(409);

    JsonObject unchanged = FilledStream.capture(stream.workspace(), NTH);
    assertThat(service.put(UUID.fromString(damaged), unchanged).statusCode()).isEqualTo(200);
    assertThat(service.internal("PATCH", speaker, nobody).body()).contains("no participant");
  }

  private void assertStopsPulls(String damaged) throws Exception {
    String before = stream.page("?limit=" + NTH).path("pageInfo").path("endCursor").asText();
    HttpResponse<String> refused =
        stream.service().pull(PullAnswers.LIST + "?limit=1&after=" + before, stream.key());
    assertThat(refused.statusCode()).isEqualTo(500);
    assertThat(refused.body()).contains(damaged);
  }

  /** All documents, but for when they were rendered; gzip and identity agree. */
  private List<JsonNode> documents() throws IOException {
    HttpResponse<byte[]> gzip =
        Service.send(
            stream.request(PullAnswers.LIST + "?limit=100").header("accept-encoding", "gzip"),
            BodyHandlers.ofByteArray());
    assertThat(gzip.statusCode()).isEqualTo(200);
    List<JsonNode> inflated =
        captures(new GZIPInputStream(new ByteArrayInputStream(gzip.body())).readAllBytes());
    HttpResponse<byte[]> plain =
        Service.send(stream.request(PullAnswers.LIST + "?limit=100"), BodyHandlers.ofByteArray());
    assertThat(captures(plain.body())).isEqualTo(inflated);
    return inflated;
  }

  private static List<JsonNode> captures(byte[] page) throws IOException {
    List<JsonNode> captures = new ArrayList<>();
    JSON.readTree(page)
        .path("captures")
        .forEach(capture -> captures.add(((ObjectNode) capture).without("emitted_at")));
    return captures;
  }

  private long counted(String counter) {
    return stream
        .service()
        .internal("GET", "/metrics", "")
        .body()
        .lines()
        .filter(line -> line.startsWith(counter + " "))
        .mapToLong(line -> (long) Double.parseDouble(line.substring(counter.length() + 1)))
        .sum();
  }
}
