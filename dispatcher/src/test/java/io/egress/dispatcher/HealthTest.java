package io.egress.dispatcher;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.egress.embedded.EmbeddedBackends;
import io.egress.embedded.EmbeddedOptions;
import io.vertx.core.json.JsonObject;
import java.io.IOException;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.net.http.HttpResponse.BodyHandlers;
import java.net.http.HttpTimeoutException;
import java.time.Duration;
import java.util.Map;
import java.util.UUID;
import java.util.concurrent.CompletableFuture;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.parallel.Execution;
import org.junit.jupiter.api.parallel.ExecutionMode;

/** A dispatcher's health while backends are down, or accept connections and never answer. */
@Tag("full")
@Execution(ExecutionMode.CONCURRENT)
class HealthTest {

  /** Longer than Kafka's client asks before it gives up. */
  private static final Duration BROKERS_ASKED_FOR = Duration.ofSeconds(12);

  private static final Duration ANSWER_MAX = Duration.ofSeconds(1);
  private static final HttpClient HTTP = HttpClient.newHttpClient();

  private final UUID workspace = UUID.randomUUID();
  private EmbeddedBackends backends;
  private Fleet fleet;
  private int port;

  @BeforeEach
  void start() {
    backends = EmbeddedBackends.start(EmbeddedOptions.scratch());
    fleet =
        new Fleet(
            Map.of(
                "EGRESS_DATABASE_URL", backends.databaseUrl(),
                "EGRESS_KAFKA_BOOTSTRAP", backends.kafkaBootstrap()));
    port = fleet.dispatcher().internalPort().orElseThrow();
    fleet.endpoint(workspace, "crm");
    await().until(() -> says(200, "up", "up"));
  }

  @AfterEach
  void stop() {
    fleet.close();
    backends.close();
  }

  @Test
  void isNotReadyWithoutKafkaAndDeliversWhenItIsBack() throws IOException {
    backends.kafka().stop();
    await().until(() -> says(503, "up", "down"));

    try (ServerSocket silent = silent(URI.create("http://" + backends.kafkaBootstrap()))) {
      assertThat(silent.isBound()).isTrue();
      await().during(Duration.ofSeconds(3)).until(() -> says(503, "up", "down"));
      await().until(this::isLive);
    }

    CompletableFuture<DispatcherApp> late = CompletableFuture.supplyAsync(fleet::dispatcher);
    await().during(BROKERS_ASKED_FOR).until(() -> !late.isDone());
    backends.kafka().start();
    await().until(() -> says(200, "up", "up"));
    await().until(late::isDone);
    assertThat(late).as("started while Kafka was away").isNotCompletedExceptionally();
    fleet.captures(workspace, 1);
    await().until(() -> fleet.receivers.count() == 1);
  }

  @Test
  void isNotReadyWithoutTheDatabase() throws IOException {
    backends.postgres().stop();
    await().until(() -> says(503, "down", "up"));

    try (ServerSocket silent = silent(URI.create(backends.databaseUrl()))) {
      assertThat(silent.isBound()).isTrue();
      await().during(Duration.ofSeconds(3)).until(() -> says(503, "down", "up"));
      await().until(this::isLive);
    }

    backends.postgres().start();
    await().until(() -> says(200, "up", "up"));
  }

  private boolean says(int status, String database, String kafka) {
    HttpResponse<String> answer = ask("/health/ready");
    if (answer == null) {
      return false;
    }
    JsonObject checks = new JsonObject(answer.body()).getJsonObject("checks");
    return answer.statusCode() == status
        && database.equals(checks.getString("database"))
        && kafka.equals(checks.getString("kafka"));
  }

  private boolean isLive() {
    HttpResponse<String> answer = ask("/health/live");
    return answer != null && answer.statusCode() == 200;
  }

  /** Null where the client gave up, as an orchestrator's probe does. */
  private @Nullable HttpResponse<String> ask(String path) {
    try {
      return HTTP.send(
          HttpRequest.newBuilder(URI.create("http://127.0.0.1:" + port + path))
              .timeout(ANSWER_MAX)
              .build(),
          BodyHandlers.ofString());
    } catch (HttpTimeoutException late) {
      return null;
    } catch (IOException | InterruptedException failure) {
      throw new IllegalStateException(failure);
    }
  }

  /** Accepts connections and never answers. */
  private static ServerSocket silent(URI instead) throws IOException {
    return new ServerSocket(instead.getPort(), 100, InetAddress.getLoopbackAddress());
  }
}
