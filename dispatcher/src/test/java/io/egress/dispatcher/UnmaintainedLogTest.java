package io.egress.dispatcher;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.vertx.core.json.JsonObject;
import io.vertx.sqlclient.SqlConnection;
import java.io.IOException;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.net.http.HttpResponse.BodyHandlers;
import java.util.Map;
import java.util.UUID;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/** Dispatchers while the days of the delivery log cannot be created. */
class UnmaintainedLogTest {
  /** What the process that creates days holds. */
  private static final String HOLD = "select pg_advisory_lock(x'6a6f75726e616c'::bigint)";

  private static final HttpClient HTTP = HttpClient.newHttpClient();

  private final UUID workspace = UUID.randomUUID();
  private final Fleet fleet = new Fleet(Map.of("lock", "1s"));

  @AfterEach
  void stop() {
    fleet.close();
  }

  @Test
  void aDispatcherDeliversWithTheDaysThatExist() {
    fleet.dispatcher();
    SqlConnection holder = hold();
    DispatcherApp late = fleet.dispatcher();

    await().untilAsserted(() -> assertThat(ready(late).body()).contains("\"delivery_log\":\"up\""));
    fleet.endpoint(workspace, "crm");
    fleet.captures(workspace, 3);
    await().until(() -> fleet.count("deliveries where state = 'delivered'") == 3);
    Fleet.await(holder.close());
  }

  @Test
  @Tag("full")
  void aDispatcherThatCannotWriteTodaysLogIsNotReady() {
    SqlConnection holder = hold();
    DispatcherApp dispatcher = fleet.dispatcher();

    await()
        .untilAsserted(() -> {
          assertThat(ready(dispatcher).statusCode()).isEqualTo(503);
          assertThat(ready(dispatcher).body()).contains("\"delivery_log\":\"down\"");
        });

    Fleet.await(holder.query("select pg_advisory_unlock_all()").execute());
    await().until(() -> ready(dispatcher).statusCode() == 200);
    Fleet.await(holder.close());
  }

  private SqlConnection hold() {
    SqlConnection holder = Fleet.await(fleet.database.getConnection());
    Fleet.await(holder.query(HOLD).execute());
    return holder;
  }

  private static HttpResponse<String> ready(DispatcherApp dispatcher)
      throws IOException, InterruptedException {
    int port = dispatcher.internalPort().orElseThrow();
    URI health = URI.create("http://127.0.0.1:" + port + "/health/ready");
    HttpResponse<String> answer =
        HTTP.send(HttpRequest.newBuilder(health).build(), BodyHandlers.ofString());
    assertThat(new JsonObject(answer.body()).containsKey("checks")).isTrue();
    return answer;
  }
}
