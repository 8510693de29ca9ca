package io.egress.api.hook;

import static org.assertj.core.api.Assertions.assertThat;

import io.egress.api.RawClient;
import io.egress.api.Service;
import io.vertx.core.json.JsonObject;
import java.net.URI;
import java.net.http.HttpRequest;
import java.net.http.HttpRequest.BodyPublishers;
import java.net.http.HttpResponse;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.UUID;
import org.junit.jupiter.api.Test;

/** Clients that use up the hook's memory, and what remains for others. */
class HookMemoryTest {
  private final UUID workspace = UUID.randomUUID();

  @Test
  void releasesTheMemoryOfClientsThatDisconnect() {
    try (Service service = Service.start(Map.of("hook-memory", "1MiB", "memory-wait", "1h"))) {
      RawClient slow = slowBody(service);
      List<RawClient> waiting = new ArrayList<>();
      for (int i = 0; i < 20; i++) {
        waiting.add(startPut(service, 800_000));
      }
      waiting.forEach(RawClient::close);
      slow.close();

      assertThat(put(service).statusCode()).isEqualTo(201);
    }
  }

  @Test
  void answers503WhenMemoryStaysExhausted() {
    try (Service service = Service.start(Map.of("hook-memory", "1MiB", "memory-wait", "100ms"))) {
      RawClient slow = slowBody(service);

      HttpResponse<String> answer = put(service);

      assertThat(answer.statusCode()).isEqualTo(503);
      assertThat(answer.headers().firstValue("retry-after")).contains("1");
      slow.close();
    }
  }

  @Test
  void refusesABodyThatStalls() {
    try (Service service = Service.start(Map.of("hook-stall", "200ms"));
        RawClient slow = slowBody(service)) {
      assertThat(slow.rest()).contains("HTTP/1.1 408", "too slowly");
    }
  }

  @Test
  void refusesAnImportThatStalls() {
    try (Service service = Service.start(Map.of("hook-stall", "200ms"));
        RawClient slow =
            RawClient.to(service.app.internalPort())
                .send(
                    RawClient.internal(
                        "POST /internal/v1/captures",
                        "content-type: application/x-ndjson",
                        "content-length: 2000000"))
                .send("{")) {
      assertThat(slow.rest()).contains("HTTP/1.1 408", "too slowly");
    }
  }

  @Test
  void refusesALineForWhichThereIsNoMemory() {
    try (Service service = Service.start(Map.of("hook-memory", "20MiB"))) {
      RawClient slow = startPut(service, 200_000).await("100 Continue").send("{");
      String line = Service.capture(workspace).put("title", "x".repeat(2_000_000)).encode();

      HttpResponse<String> answer =
          Service.send(
              HttpRequest.newBuilder(URI.create(service.internalUrl("/internal/v1/captures")))
                  .header("authorization", "Bearer " + Service.TOKEN)
                  .header("content-type", "application/x-ndjson")
                  .POST(BodyPublishers.ofString(line)));

      assertThat(answer.statusCode()).as(answer.body()).isEqualTo(503);
      slow.close();
    }
  }

  /** The bytes of both bodies would fit, what is made of them would not. */
  @Test
  void reservesAllThatABodyWillNeed() {
    try (Service service = Service.start(Map.of("hook-memory", "16MiB", "memory-wait", "100ms"))) {
      RawClient slow = startPut(service, 600_000).await("100 Continue").send("{");
      JsonObject large = Service.capture(workspace).put("ignored", "x".repeat(500_000));

      assertThat(service.put(UUID.randomUUID(), large).statusCode()).isEqualTo(503);
      assertThat(put(service).statusCode()).isEqualTo(201);
      slow.close();
    }
  }

  private HttpResponse<String> put(Service service) {
    return service.put(UUID.randomUUID(), Service.capture(workspace));
  }

  private static RawClient slowBody(Service service) {
    return startPut(service, 2_000_000).await("100 Continue").send("{");
  }

  private static RawClient startPut(Service service, int bytes) {
    return RawClient.to(service.app.internalPort())
        .send(
            RawClient.internal(
                "PUT /internal/v1/captures/" + UUID.randomUUID(),
                "content-length: " + bytes,
                "expect: 100-continue"));
  }
}
