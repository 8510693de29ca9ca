package io.egress.api.hook;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.egress.api.Service;
import io.vertx.core.json.JsonObject;
import java.net.http.HttpResponse;
import java.util.UUID;

/** The stream as a client with a key of the workspace sees it. */
record PulledStream(Service service, String key) {
  PulledStream(Service service, UUID workspace) {
    this(service, service.mintKey(workspace));
  }

  JsonObject one(UUID id) {
    HttpResponse<String> answer = service.pull("/api/v1/captures/" + id, key);
    assertThat(answer.statusCode()).as(answer.body()).isEqualTo(200);
    return new JsonObject(answer.body());
  }

  void awaitSize(int captures) {
    await()
        .untilAsserted(() ->
            assertThat(
                    new JsonObject(service.pull("/api/v1/captures", key).body())
                        .getJsonArray("captures"))
                .hasSize(captures));
  }
}
