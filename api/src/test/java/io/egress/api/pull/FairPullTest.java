package io.egress.api.pull;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.egress.api.RawClient;
import io.egress.api.Service;
import io.vertx.core.json.JsonArray;
import io.vertx.core.json.JsonObject;
import io.vertx.sqlclient.SqlConnection;
import java.net.http.HttpResponse;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.UUID;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.parallel.Isolated;

/** One key's clients that read nothing do not stop another key's pulls. */
@Isolated("it compares times")
class FairPullTest {
  private static final int CAPTURES = 60;
  private static final UUID GREEDY = UUID.randomUUID();
  private static final UUID OTHER = UUID.randomUUID();

  private static Service service;
  private static String greedyKey;
  private static String otherKey;

  @BeforeAll
  static void fill() {
    service =
        Service.start(
            Map.of(
                "pull-memory",
                "4MiB",
                "pull-stall",
                "10m",
                "memory-wait",
                "500ms",
                "EGRESS_SHUTDOWN_TIMEOUT",
                "1s"));
    greedyKey = service.mintKey(GREEDY);
    otherKey = service.mintKey(OTHER);
    service.put(UUID.randomUUID(), Service.capture(OTHER));
    for (int i = 0; i < CAPTURES; i++) {
      assertThat(service.put(UUID.randomUUID(), noise(i)).statusCode()).isEqualTo(201);
    }
    await().until(() -> service.query("select 1 from stream").size() == CAPTURES + 1);
  }

  @AfterAll
  static void stop() {
    service.close();
  }

  @Test
  void servesOthersDespitePipelinesThatNobodyReads() {
    List<RawClient> greedy = new ArrayList<>();
    for (int i = 0; i < 40; i++) {
      greedy.add(pipeline(greedyKey));
    }

    awaitRefusals();
    assertOthersAreServed();
    greedy.forEach(RawClient::close);
  }

  @Test
  void manyKeysAreNoMoreThanOne() {
    List<RawClient> greedy = new ArrayList<>();
    for (int i = 0; i < 40; i++) {
      greedy.add(pipeline(service.mintKey(GREEDY)));
    }

    awaitRefusals();
    assertOthersAreServed();
    greedy.forEach(RawClient::close);
  }

  @Test
  @Tag("full")
  void keysThatDoNotExistHoldNoMemory() {
    SqlConnection lock = Service.await(service.database.getConnection());
    Service.await(lock.query("begin").execute());
    Service.await(lock.query("lock table api_keys in access exclusive mode").execute());
    List<RawClient> invented = new ArrayList<>();
    for (int i = 0; i < 100; i++) {
      invented.add(pipeline(greedyKey.substring(0, greedyKey.length() - 6) + (100_000 + i)));
    }
    await()
        .until(() ->
            service
                .metrics()
                .anyMatch(line ->
                    line.matches("egress_database_waiting.*pool=\"pull\".* [5-9][0-9]\\.0")));

    String nothing = "egress_memory_reserved_bytes{budget=\"pull\"} 0.0";
    await().until(() -> service.metrics().anyMatch(nothing::equals));

    Service.await(lock.query("rollback").execute());
    Service.await(lock.close());
    invented.forEach(client -> client.await("HTTP/1.1 401"));
    invented.forEach(RawClient::close);
  }

  private static RawClient pipeline(String key) {
    String request =
        "GET /api/v1/captures?limit=100 HTTP/1.1\r\nhost: a\r\nauthorization: Bearer "
            + key
            + "\r\n\r\n";
    return RawClient.to(service.app.publicPort()).send(request.repeat(3));
  }

  /** The greedy workspace has all that it can have: more of its own is refused for now. */
  private static void awaitRefusals() {
    await()
        .untilAsserted(() -> {
          HttpResponse<String> answer = service.pull("/api/v1/captures?limit=1", greedyKey);
          assertThat(answer.statusCode()).isEqualTo(503);
          assertThat(answer.headers().firstValue("retry-after")).contains("1");
        });
  }

  private static void assertOthersAreServed() {
    for (int i = 0; i < 5; i++) {
      HttpResponse<String> answer = service.pull("/api/v1/captures?limit=1", otherKey);
      assertThat(answer.statusCode()).isEqualTo(200);
      assertThat(answer.body()).contains("Hello.");
    }
  }

  private static JsonObject noise(long seed) {
    Random random = new Random(seed);
    StringBuilder text = new StringBuilder();
    while (text.length() < 400_000) {
      text.append(Long.toString(random.nextLong(), 36));
    }
    return Service.capture(GREEDY)
        .put(
            "segments",
            new JsonArray()
                .add(
                    new JsonObject()
                        .put("start_ms", 0)
                        .put("end_ms", 1)
                        .put("text", text.toString())));
  }
}
