package io.egress.api.call;

import static org.assertj.core.api.Assertions.assertThat;

import io.egress.api.Service;
import io.vertx.core.Future;
import io.vertx.core.http.HttpClient;
import io.vertx.core.http.HttpClientOptions;
import io.vertx.core.http.HttpMethod;
import io.vertx.core.http.HttpResponseHead;
import io.vertx.core.http.PoolOptions;
import io.vertx.core.json.JsonObject;
import io.vertx.sqlclient.SqlConnection;
import java.net.http.HttpResponse;
import java.util.ArrayList;
import java.util.List;
import java.util.UUID;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/**
 * More calls of administration than anybody makes, while the database lets none of them proceed.
 */
@Tag("full")
class ManyCallsTest {
  private static final int CALLS = 5_000;

  /** They are put while the calls wait, which end after 15 seconds. */
  private static final int CAPTURES = 5;

  private record Answer(int status, boolean hasRetryAfter) {}

  @Test
  void waitWithoutDelayingTheHookAndAreAllAnswered() {
    UUID workspace = UUID.randomUUID();
    try (Service service = Service.start()) {
      service.mintKey(workspace);
      HttpClient client =
          service.vertx.createHttpClient(
              new HttpClientOptions(), new PoolOptions().setHttp1MaxSize(CALLS));
      SqlConnection lock = Service.await(service.database.getConnection());
      Service.await(lock.query("begin").execute());
      Service.await(
          lock.query("select from workspaces where id = '%s' for update".formatted(workspace))
              .execute());
      List<Future<Answer>> answers = new ArrayList<>();
      for (int i = 0; i < CALLS; i++) {
        answers.add(call(client, service, "/internal/v1/workspaces/" + workspace));
      }

      for (int i = 0; i < CAPTURES; i++) {
        JsonObject capture = Service.capture(UUID.randomUUID());
        HttpResponse<String> put = service.put(UUID.randomUUID(), capture);
        assertThat(put.statusCode()).as(put.body()).isEqualTo(201);
      }

      assertThat(answers).as("calls are waiting still").anyMatch(call -> !call.isComplete());
      Service.await(lock.query("rollback").execute());
      Service.await(lock.close());
      for (Future<Answer> each : answers) {
        Answer answer = Service.await(each);
        if (answer.status() != 200) {
          assertThat(answer).isEqualTo(new Answer(503, true));
        }
      }
      assertThat(service.internal("GET", "/internal/v1/workspaces/" + workspace, "").statusCode())
          .isEqualTo(200);
    }
  }

  private static Future<Answer> call(HttpClient client, Service service, String path) {
    return client
        .request(HttpMethod.PATCH, service.app.internalPort(), "127.0.0.1", path)
        .compose(request ->
            request.putHeader("authorization", "Bearer " + Service.TOKEN).send("{\"name\":\"A\"}"))
        .map(response -> new Answer(response.statusCode(), retryAfter(response)));
  }

  private static boolean retryAfter(HttpResponseHead response) {
    return response.getHeader("retry-after") != null;
  }
}
