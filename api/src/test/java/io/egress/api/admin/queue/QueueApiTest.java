package io.egress.api.admin.queue;

import static org.assertj.core.api.Assertions.assertThat;

import io.egress.api.Service;
import io.vertx.core.json.JsonObject;
import java.net.http.HttpResponse;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;

/** No dispatcher runs here: the api only records what is requested. */
class QueueApiTest {
  private static Service service;

  @BeforeAll
  static void start() {
    service = Service.start();
  }

  @AfterAll
  static void stop() {
    service.close();
  }

  @Test
  void aRebuildIsRecordedForADispatcherAndTakesThePlaceOfTheOneBefore() {
    JsonObject none = new JsonObject(call("GET", "/queue").body());
    assertThat(none.getValue("rebuild")).isNull();
    assertThat(none.getJsonArray("weaknesses")).isEmpty();

    HttpResponse<String> first = call("POST", "/queue/rebuild");
    HttpResponse<String> second = call("POST", "/queue/rebuild");

    assertThat(first.statusCode()).isEqualTo(202);
    assertThat(second.statusCode()).isEqualTo(202);
    JsonObject shown = new JsonObject(call("GET", "/queue").body()).getJsonObject("rebuild");
    assertThat(shown.getLong("id")).isGreaterThan(rebuild(first).getLong("id"));
    assertThat(shown.getLong("id")).isEqualTo(rebuild(second).getLong("id"));
    assertThat(shown.getString("state")).isEqualTo("requested");
    assertThat(shown.getString("reason")).isEqualTo("requested");
    assertThat(shown.getLong("published")).isZero();
    assertThat(service.query("select 1 from queue_rebuilds where finished_at is null").size())
        .isEqualTo(1);
    assertThat(service.query("select 1 from audit where action = 'queue.rebuild_requested'").size())
        .isEqualTo(2);
  }

  private static JsonObject rebuild(HttpResponse<String> answer) {
    return new JsonObject(answer.body()).getJsonObject("rebuild");
  }

  private static HttpResponse<String> call(String method, String path) {
    return service.internal(method, "/internal/v1" + path, "");
  }
}
