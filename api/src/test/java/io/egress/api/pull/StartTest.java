package io.egress.api.pull;

import static org.assertj.core.api.Assertions.assertThat;

import io.egress.api.Service;
import io.vertx.core.json.JsonArray;
import io.vertx.core.json.JsonObject;
import java.net.URI;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.util.List;
import java.util.UUID;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;

/** A reader that does not want the history starts now, or at an instant. */
class StartTest {
  private static final Service service = Service.shared();

  private final UUID workspace = UUID.randomUUID();
  private final String key = service.mintKey(workspace);

  @Test
  void nowIsAfterEverythingAndBeforeWhateverFollows() {
    service.enter(workspace, 3);
    JsonObject first = page("captures?start=now");
    assertThat(ids(first, "captures")).isEmpty();
    assertThat(first.getJsonObject("pageInfo").getBoolean("hasNextPage")).isFalse();

    List<UUID> later = service.enter(workspace, 2);
    JsonObject second = page("captures?after=" + end(first));
    assertThat(ids(second, "captures")).isEqualTo(later);
    assertThat(end(page("captures?start=now"))).isEqualTo(end(second));
  }

  @Test
  void nothingIsMissedThatEntersAnEmptyStreamAfterwards() {
    String beginning = end(page("captures?start=now"));
    String noChange = end(page("changes?start=now"));

    List<UUID> all = service.enter(workspace, 2);
    service.internal("DELETE", "/internal/v1/captures/" + all.getFirst(), "{\"reason\":\"x\"}");

    assertThat(ids(page("captures?after=" + beginning), "captures")).isEqualTo(all.subList(1, 2));
    assertThat(page("changes?after=" + noChange).getJsonArray("changes")).hasSize(1);
  }

  @Test
  void anInstantIsBeforeWhatHasEnteredSince() {
    List<UUID> all = service.enter(workspace, 8);
    for (int i = 0; i < 8; i++) {
      service.query(
          "set session_replication_role = replica; update stream set entered_at = '2026-01-01T00:00:00Z'::timestamptz + interval '%d hours' where capture_id = '%s'; reset session_replication_role"
              .formatted(i, all.get(i)));
    }

    for (int i = 0; i < 8; i++) {
      String at = "2026-01-01T0" + i + ":00:00Z";
      assertThat(ids(page("captures?start=" + at), "captures")).as(at).isEqualTo(all.subList(i, 8));
    }
    assertThat(ids(page("captures?start=2025-01-01T00:00:00Z&limit=1"), "captures"))
        .isEqualTo(all.subList(0, 1));
    assertThat(ids(page("captures?start=2099-01-01T00:00:00Z"), "captures")).isEmpty();
  }

  /** The changes of a capture are one, so numbers are missing. */
  @Test
  void anInstantIsBeforeTheChangesSince() {
    List<UUID> all = service.enter(workspace, 12);
    IntStream.range(0, 3).forEach(_ -> all.forEach(this::touch));
    for (int i = 0; i < 12; i++) {
      service.query(
          "update changes set changed_at = '2026-01-01T00:00:00Z'::timestamptz + interval '%d hours' where capture_id = '%s'"
              .formatted(i, all.get(i)));
    }

    for (int i = 0; i < 12; i++) {
      String at = "2026-01-01T%02d:00:00Z".formatted(i);
      assertThat(ids(page("changes?start=" + at), "changes")).as(at).isEqualTo(all.subList(i, 12));
    }
    JsonObject now = page("changes?start=now");
    assertThat(now.getJsonArray("changes")).isEmpty();
    touch(all.get(4));
    assertThat(ids(page("changes?after=" + end(now)), "changes")).containsExactly(all.get(4));
  }

  @Test
  void linesStartThereToo() {
    service.enter(workspace, 3);
    HttpResponse<String> lines =
        Service.send(
            HttpRequest.newBuilder(URI.create(service.publicUrl("/api/v1/captures?start=now")))
                .header("authorization", "Bearer " + key)
                .header("accept", "application/x-ndjson"));

    assertThat(new JsonObject(lines.body()).getJsonObject("pageInfo").getString("endCursor"))
        .isEqualTo(end(page("captures?start=now")));
  }

  @Test
  void otherInputIsRefused() {
    String cursor = end(page("captures?start=now"));
    for (String query :
        List.of("start=soon", "start=", "start=now&start=now", "start=now&after=" + cursor)) {
      HttpResponse<String> answer = service.pull("/api/v1/captures?" + query, key);
      assertThat(answer.statusCode()).as(query).isEqualTo(400);
      assertThat(answer.body()).as(query).contains("start ");
    }
    assertThat(service.pull("/api/v1/captures?start=now", "service_unknown").statusCode())
        .isEqualTo(401);
  }

  private void touch(UUID captureId) {
    JsonObject capture = Service.capture(workspace).put("title", UUID.randomUUID().toString());
    assertThat(service.put(captureId, capture).statusCode()).isEqualTo(200);
  }

  private JsonObject page(String query) {
    HttpResponse<String> answer = service.pull("/api/v1/" + query, key);
    assertThat(answer.statusCode()).as(answer.body()).isEqualTo(200);
    return new JsonObject(answer.body());
  }

  private static String end(JsonObject page) {
    String end = page.getJsonObject("pageInfo").getString("endCursor");
    assertThat(end).isNotNull();
    return end;
  }

  private static List<UUID> ids(JsonObject page, String list) {
    JsonArray entries = page.getJsonArray(list);
    return entries.stream()
        .map(each -> UUID.fromString(((JsonObject) each).getString("id")))
        .toList();
  }
}
