package io.egress.api.relay;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.egress.api.Service;
import io.egress.embedded.EmbeddedBackends;
import io.egress.embedded.EmbeddedOptions;
import io.egress.transcript.stream.ProcessedCapture;
import io.vertx.core.json.JsonObject;
import java.net.URI;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.UUID;
import java.util.stream.LongStream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.parallel.Execution;
import org.junit.jupiter.api.parallel.ExecutionMode;

/**
 * Kafka or PostgreSQL become unavailable and recover: nothing is lost, and nothing enters twice.
 */
@Tag("full")
@Execution(ExecutionMode.CONCURRENT)
class BackendsAwayTest {
  private static final Duration HEALTH_KNOWS_WITHIN = Duration.ofSeconds(15);

  private final UUID workspace = UUID.randomUUID();
  private EmbeddedBackends backends;
  private Service service;
  private String key;

  @BeforeEach
  void start() {
    backends = EmbeddedBackends.start(EmbeddedOptions.scratch());
    service =
        Service.start(
            Map.of(
                "EGRESS_DATABASE_URL", backends.databaseUrl(),
                "EGRESS_KAFKA_BOOTSTRAP", backends.kafkaBootstrap()));
    key = service.mintKey(workspace);
  }

  @AfterEach
  void stop() {
    service.close();
    backends.close();
  }

  @Test
  void publishesCapturesThatFinishedWhileKafkaWasUnavailable() {
    put(3);
    await().until(() -> outbox() == 0);
    backends.kafka().stop();
    put(5);

    assertThat(pulled()).as("pulling needs no Kafka").isEqualTo(8);
    assertThat(outbox()).isEqualTo(5);
    assertThat(ready()).isEqualTo(200);

    backends.kafka().start();
    await().until(() -> outbox() == 0);
    assertThat(PublishedCaptures.all(service))
        .extracting(ProcessedCapture::position)
        .containsAll(LongStream.rangeClosed(1, 8).boxed().toList());
  }

  @Test
  void recoversWithPostgres() {
    put(2);
    await().until(() -> pulled() == 2);
    backends.postgres().stop();

    HttpResponse<String> pull = service.pull("/api/v1/captures", key);
    HttpResponse<String> hook = service.put(UUID.randomUUID(), Service.capture(workspace));
    assertThat(List.of(pull.statusCode(), hook.statusCode())).containsOnly(503);
    assertThat(pull.body()).contains("\"status\":503");
    assertThat(pull.headers().firstValue("retry-after")).isPresent();
    await().atMost(HEALTH_KNOWS_WITHIN).until(() -> ready() == 503);

    backends.postgres().start();
    await()
        .until(
            () -> service.put(UUID.randomUUID(), Service.capture(workspace)).statusCode() == 201);
    await().until(() -> pulled() == 3);
    await().until(() -> outbox() == 0);
    assertThat(ready()).isEqualTo(200);
  }

  private void put(int captures) {
    int before = pulled();
    for (int i = 0; i < captures; i++) {
      assertThat(service.put(UUID.randomUUID(), Service.capture(workspace)).statusCode())
          .isEqualTo(201);
    }
    await().until(() -> pulled() == before + captures);
  }

  private int pulled() {
    return new JsonObject(service.pull("/api/v1/captures?limit=100", key).body())
        .getJsonArray("captures")
        .size();
  }

  private int outbox() {
    return service.query("select 1 from outbox").size();
  }

  private int ready() {
    return Service.send(HttpRequest.newBuilder(URI.create(service.publicUrl("/health/ready"))))
        .statusCode();
  }
}
