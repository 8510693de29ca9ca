package io.egress.api.hook;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.egress.api.LoggedAlarms;
import io.egress.api.RawClient;
import io.egress.api.Service;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.UUID;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.parallel.Isolated;

/** Clients that send puts one behind the other, whole or not, and disconnect at some moment. */
@Isolated("it reads the log")
class PipelinedPutsTest {
  private static final int CLIENTS = 1_000;

  private final UUID workspace = UUID.randomUUID();
  private final Random random = new Random(22);

  @Test
  void releaseAllMemoryWhenTheyDisconnect() {
    try (Service service = Service.start(Map.of("hook-memory", "2MiB", "memory-wait", "1h"));
        LoggedAlarms alarms = new LoggedAlarms()) {
      List<RawClient> clients = new ArrayList<>();
      for (int i = 0; i < CLIENTS; i++) {
        RawClient client = RawClient.to(service.app.internalPort());
        clients.add(client.send(put().repeat(random.nextInt(3)) + begun()));
        if (random.nextBoolean()) {
          end(clients.remove(random.nextInt(clients.size())));
        }
      }
      assertThat(service.memoryInUse("hook")).isNotEmpty();
      await().until(() -> oldestSeconds(service) > 1);
      clients.forEach(this::end);

      await()
          .untilAsserted(() -> {
            assertThat(service.memoryInUse("hook")).isEmpty();
            assertThat(oldestSeconds(service)).isZero();
          });
      assertThat(alarms.lines()).isEmpty();
      assertThat(service.put(UUID.randomUUID(), Service.capture(workspace)).statusCode())
          .isEqualTo(201);
    }
  }

  private static double oldestSeconds(Service service) {
    return service
        .metrics()
        .filter(line -> line.startsWith("egress_hook_oldest_seconds "))
        .mapToDouble(line -> Double.parseDouble(line.split(" ", 2)[1]))
        .findFirst()
        .orElseThrow();
  }

  private String put() {
    String body = Service.capture(workspace).encode();
    return head("PUT /internal/v1/captures/" + UUID.randomUUID(), body.length()) + body;
  }

  /** A request whose body does not come. */
  private String begun() {
    return random.nextInt(4) == 0
        ? RawClient.internal(
                "POST /internal/v1/captures",
                "content-type: application/x-ndjson",
                "transfer-encoding: chunked")
            + "1\r\n{\r\n"
        : head("PUT /internal/v1/captures/" + UUID.randomUUID(), 60_000) + "{";
  }

  private static String head(String line, int length) {
    return RawClient.internal(line, "content-length: " + length);
  }

  private void end(RawClient client) {
    if (random.nextBoolean()) {
      client.reset();
    } else {
      client.close();
    }
  }
}
