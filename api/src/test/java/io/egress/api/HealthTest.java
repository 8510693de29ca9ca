package io.egress.api;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.egress.embedded.EmbeddedBackends;
import io.egress.embedded.EmbeddedOptions;
import io.vertx.core.json.JsonObject;
import java.io.IOException;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.net.URI;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.time.Duration;
import java.util.Map;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.parallel.Execution;
import org.junit.jupiter.api.parallel.ExecutionMode;

/** The api's health while backends are down, or accept connections and never answer. */
@Tag("full")
@Execution(ExecutionMode.CONCURRENT)
class HealthTest {
  private static final Duration ANSWER_MAX = Duration.ofSeconds(1);

  private EmbeddedBackends backends;
  private Service service;

  @BeforeEach
  void start() {
    backends = EmbeddedBackends.start(EmbeddedOptions.scratch());
    service =
        Service.start(
            Map.of(
                "EGRESS_DATABASE_URL", backends.databaseUrl(),
                "EGRESS_KAFKA_BOOTSTRAP", backends.kafkaBootstrap()));
    await().until(() -> says(200, "up", "up"));
  }

  @AfterEach
  void stop() {
    service.close();
    backends.close();
  }

  @Test
  void staysReadyWithoutKafka() throws IOException {
    backends.kafka().stop();
    await().until(() -> says(200, "up", "away"));

    try (ServerSocket silent = silent(portOf("http://" + backends.kafkaBootstrap()))) {
      assertThat(silent.isBound()).isTrue();
      await().during(Duration.ofSeconds(3)).until(() -> says(200, "up", "away"));
    }

    backends.kafka().start();
    await().until(() -> says(200, "up", "up"));
  }

  @Test
  void isNotReadyWithoutTheDatabase() throws IOException {
    backends.postgres().stop();
    await().until(() -> says(503, "down", "up"));

    try (ServerSocket silent = silent(portOf(backends.databaseUrl()))) {
      assertThat(silent.isBound()).isTrue();
      await().during(Duration.ofSeconds(3)).until(() -> says(503, "down", "up"));
      await().until(this::isLive);
    }

    backends.postgres().start();
    await().until(() -> says(200, "up", "up"));
  }

  /** In time, on both listeners. */
  private boolean says(int status, String database, String kafka) {
    return says(service.publicUrl("/health/ready"), status, database, kafka)
        && says(service.internalUrl("/health/ready"), status, database, kafka);
  }

  private static boolean says(String url, int status, String database, String kafka) {
    long start = System.nanoTime();
    HttpResponse<String> answer = Service.send(HttpRequest.newBuilder(URI.create(url)));
    boolean inTime = System.nanoTime() - start < ANSWER_MAX.toNanos();
    JsonObject checks = new JsonObject(answer.body()).getJsonObject("checks");
    return inTime
        && answer.statusCode() == status
        && database.equals(checks.getString("database"))
        && kafka.equals(checks.getString("kafka"));
  }

  private boolean isLive() {
    return Service.send(HttpRequest.newBuilder(URI.create(service.internalUrl("/health/live"))))
            .statusCode()
        == 200;
  }

  private static int portOf(String url) {
    return URI.create(url).getPort();
  }

  /** Accepts connections and never answers. */
  private static ServerSocket silent(int port) throws IOException {
    return new ServerSocket(port, 100, InetAddress.getLoopbackAddress());
  }
}
