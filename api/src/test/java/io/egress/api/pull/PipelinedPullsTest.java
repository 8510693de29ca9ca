package io.egress.api.pull;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.egress.api.LoggedAlarms;
import io.egress.api.RawClient;
import io.egress.api.Service;
import io.vertx.core.json.JsonArray;
import io.vertx.core.json.JsonObject;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.UUID;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.parallel.Isolated;

/** Clients that send pulls one behind the other, read nothing, and disconnect at some moment. */
@Isolated("it reads the log")
class PipelinedPullsTest {
  private static final UUID WORKSPACE = UUID.randomUUID();
  private static final int CAPTURES = 60;
  private static final int CLIENTS = 400;
  private static final int ROUNDS = 4;

  private static Service service;
  private static String key;

  @BeforeAll
  static void fill() {
    service =
        Service.start(
            Map.of(
                "pull-memory", "8MiB",
                "pull-stall", "700ms",
                "memory-wait", "400ms"));
    key = service.mintKey(WORKSPACE);
    for (int i = 0; i < CAPTURES; i++) {
      assertThat(service.put(UUID.randomUUID(), noise(i)).statusCode()).isEqualTo(201);
    }
    await().until(() -> service.query("select 1 from stream").size() == CAPTURES);
    // A request whose key was not found before holds memory only later.
    assertThat(service.pull("/api/v1/captures?limit=1", key).statusCode()).isEqualTo(200);
  }

  @AfterAll
  static void stop() {
    service.close();
  }

  @Test
  void releaseAllMemoryWhenTheyDisconnect() {
    Random random = new Random(22);
    try (LoggedAlarms alarms = new LoggedAlarms()) {
      List<RawClient> stalled = List.of();
      for (int round = 0; round < ROUNDS; round++) {
        List<RawClient> clients = new ArrayList<>();
        for (int i = 0; i < CLIENTS; i++) {
          clients.add(RawClient.to(service.app.publicPort()).send(pull().repeat(3)));
          if (random.nextInt(3) == 0) {
            end(clients.remove(random.nextInt(clients.size())), random);
          }
        }
        assertThat(service.memoryInUse("pull")).isNotEmpty();
        stalled.forEach(client -> end(client, random));
        stalled = clients;
      }
      stalled.forEach(client -> end(client, random));

      await().untilAsserted(() -> assertThat(service.memoryInUse("pull")).isEmpty());
      // So many clients can keep a slow machine from entering in time what they are sent.
      assertThat(alarms.lines())
          .filteredOn(line -> !line.contains("without entering it: no answer in time"))
          .isEmpty();
      assertThat(service.pull("/api/v1/captures", key).statusCode()).isEqualTo(200);
    }
  }

  private static void end(RawClient client, Random random) {
    if (random.nextBoolean()) {
      client.reset();
    } else {
      client.close();
    }
  }

  private static String pull() {
    return "GET /api/v1/captures?limit=100 HTTP/1.1\r\nhost: a\r\nauthorization: Bearer "
        + key
        + "\r\n\r\n";
  }

  private static JsonObject noise(long seed) {
    Random random = new Random(seed);
    StringBuilder text = new StringBuilder();
    while (text.length() < 60_000) {
      text.append(Long.toString(random.nextLong(), 36));
    }
    return Service.capture(WORKSPACE)
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
