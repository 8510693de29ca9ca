package io.egress.api.pull;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import com.fasterxml.jackson.databind.JsonNode;
import io.egress.api.Service;
import io.vertx.core.json.JsonObject;
import java.net.URI;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.UUID;

/** A service with one workspace whose captures have all entered the stream. */
record FilledStream(Service service, UUID workspace, String key, List<String> ids) {
  static final int SIZE = 120;

  static FilledStream fill() {
    return fill(SIZE);
  }

  static FilledStream fill(int size) {
    Service service = Service.start();
    UUID workspace = UUID.randomUUID();
    String key = service.mintKey(workspace);
    List<String> ids = new ArrayList<>();
    StringBuilder lines = new StringBuilder();
    for (int i = 0; i < size; i++) {
      ids.add(UUID.randomUUID().toString());
      lines.append(capture(workspace, i).put("id", ids.get(i)).encode()).append('\n');
    }
    HttpResponse<String> imported =
        Service.send(
            HttpRequest.newBuilder(URI.create(service.internalUrl("/internal/v1/captures")))
                .header("authorization", "Bearer " + Service.TOKEN)
                .header("content-type", "application/x-ndjson")
                .POST(HttpRequest.BodyPublishers.ofString(lines.toString())));
    assertThat(imported.statusCode()).as(imported.body()).isEqualTo(200);
    await()
        .until(() ->
            service.query("select 1 from stream where workspace_id = '" + workspace + "'").size()
                == size);
    return new FilledStream(service, workspace, key, ids);
  }

  /** The body of the nth capture, without its id. */
  static JsonObject capture(UUID workspace, int n) {
    return Service.capture(workspace)
        .put("title", "Capture " + n)
        // Order is by completion: conversation starts run backwards here.
        .put("started_at", Instant.parse("2026-01-01T00:00:00Z").minusSeconds(n));
  }

  HttpRequest.Builder request(String path) {
    return HttpRequest.newBuilder(URI.create(service.publicUrl(path)))
        .header("authorization", "Bearer " + key);
  }

  JsonNode page(String query) throws Exception {
    HttpResponse<String> answer = service.pull(PullAnswers.LIST + query, key);
    assertThat(answer.statusCode()).as(answer.body()).isEqualTo(200);
    return PullAnswers.JSON.readTree(answer.body());
  }
}
