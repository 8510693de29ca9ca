package io.egress.acceptance;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.egress.cli.InternalApi;
import io.egress.embedded.EmbeddedBackends;
import io.egress.embedded.EmbeddedOptions;
import io.egress.standalone.demo.SampleConversations;
import io.egress.webhook.endpoint.SecretBox;
import io.vertx.core.json.JsonObject;
import java.io.IOException;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse.BodyHandlers;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.UUID;
import java.util.regex.Pattern;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.parallel.Execution;
import org.junit.jupiter.api.parallel.ExecutionMode;

/** An outage is logged when it begins and when it ends, and rarely in between. */
@Tag("full")
@Execution(ExecutionMode.CONCURRENT)
class LogsWhileAwayTest {
  private static final Duration AWAY = Duration.ofSeconds(20);
  private static final Duration PATIENCE = Duration.ofSeconds(90);

  /** Its beginning and its end, and what the api does about it. */
  private static final int LINES_MAX = 4;

  /** The name of a class with its package; loggers are shown without theirs. */
  private static final Pattern CLASS_NAME = Pattern.compile("\\b(?:[a-z]\\w*\\.){2,}[A-Z]\\w*");

  private static final String SECRET_KEY = SecretBox.newKey();
  private static final String TOKEN = "test-token-of-the-internal-api";

  private final HttpClient http = HttpClient.newHttpClient();
  private final UUID workspace = UUID.randomUUID();
  private EmbeddedBackends backends;
  private CommandLine api;
  private CommandLine dispatcher;
  private InternalApi internal;
  private String pullUrl;
  private String key;

  @BeforeEach
  void start() throws IOException {
    backends = EmbeddedBackends.start(EmbeddedOptions.scratch());
    api = CommandLine.start(environment(), "api");
    String publicPort = api.awaitOutput("api is up: public port (\\d+)");
    String internalPort = api.awaitOutput("internal port (\\d+)");
    dispatcher = CommandLine.start(environment(), "dispatcher");
    dispatcher.awaitOutput("dispatcher is up");
    internal = new InternalApi("127.0.0.1", Integer.parseInt(internalPort), TOKEN);
    pullUrl = "http://127.0.0.1:" + publicPort + "/api/v1/captures";
    key =
        internal
            .call(
                "POST", "/workspaces/" + workspace + "/api-keys", new JsonObject().put("name", "a"))
            .getString("key");
    internal.call(
        "POST",
        "/workspaces/" + workspace + "/endpoints",
        new JsonObject().put("url", "http://127.0.0.1:65533/refuses"));
    putCaptures(3);
  }

  @AfterEach
  void stop() throws IOException {
    api.close();
    dispatcher.close();
    backends.close();
  }

  @Test
  void logAnOutageOfKafkaAndItsEnd() throws Exception {
    putCaptures(5);
    Runnable goes =
        () -> {
          backends.kafka().stop();
          putCaptures(5);
        };
    List<String> told = awayAndBack("Kafka", goes, () -> backends.kafka().start());

    assertThat(told).noneMatch(line -> line.contains(" ERROR "));
  }

  @Test
  void logAnOutageOfPostgresAndItsEnd() throws Exception {
    putCaptures(5);
    List<String> told =
        awayAndBack(
            "PostgreSQL", () -> backends.postgres().stop(), () -> backends.postgres().start());

    assertThat(told).noneMatch(line -> line.contains(" ERROR "));
    assertThat(pull()).isEqualTo(200);
  }

  /** What both roles have logged since. */
  private List<String> awayAndBack(String backend, Runnable goes, Runnable back) throws Exception {
    List<CommandLine> roles = List.of(api, dispatcher);
    List<Integer> before = roles.stream().map(role -> role.output().length()).toList();
    goes.run();
    long end = System.nanoTime() + AWAY.toNanos();
    await()
        .atMost(AWAY.plus(PATIENCE))
        .until(() -> {
          pull();
          return System.nanoTime() > end;
        });
    for (CommandLine role : roles) {
      role.awaitOutput("WARN  BackendWatch " + backend + " does not answer");
    }
    back.run();
    for (CommandLine role : roles) {
      role.awaitOutput("INFO  BackendWatch " + backend + " answers again");
    }
    List<String> told = new ArrayList<>();
    for (int i = 0; i < roles.size(); i++) {
      List<String> lines = roles.get(i).output().substring(before.get(i)).lines().toList();
      assertThat(lines).hasSizeLessThanOrEqualTo(LINES_MAX);
      assertThat(roles.get(i).output().lines())
          .as("also from the start on")
          .noneMatch(line -> CLASS_NAME.matcher(line).find());
      String away = "BackendWatch " + backend + " does not answer";
      assertThat(lines.stream().filter(line -> line.contains(away) && !isReminder(line)))
          .as("told once: %s", lines)
          .hasSize(1);
      told.addAll(lines);
    }
    return told;
  }

  /** Of an outage that lasts, each minute. */
  private static boolean isReminder(String line) {
    return line.contains(" seconds=");
  }

  private int pull() throws Exception {
    return http.send(
            HttpRequest.newBuilder(URI.create(pullUrl))
                .header("authorization", "Bearer " + key)
                .timeout(PATIENCE)
                .build(),
            BodyHandlers.discarding())
        .statusCode();
  }

  private void putCaptures(int count) {
    SampleConversations samples = new SampleConversations(1, workspace);
    for (int i = 0; i < count; i++) {
      internal.call("PUT", "/captures/" + UUID.randomUUID(), samples.next(2));
    }
  }

  private Map<String, String> environment() {
    Map<String, String> environment = new HashMap<>();
    environment.put("EGRESS_DATABASE_URL", backends.databaseUrl());
    environment.put("EGRESS_KAFKA_BOOTSTRAP", backends.kafkaBootstrap());
    environment.put("EGRESS_INTERNAL_TOKEN", TOKEN);
    environment.put("EGRESS_SECRET_KEY", SECRET_KEY);
    environment.put("EGRESS_PUBLIC_PORT", "0");
    environment.put("EGRESS_INTERNAL_PORT", "0");
    environment.put("EGRESS_RETRY_SCHEDULE", "1s,1s,1s,1m,1h");
    environment.put("EGRESS_ALLOW_HTTP_ENDPOINTS", "true");
    environment.put("EGRESS_ALLOW_ENDPOINT_NETWORKS", "127.0.0.0/8");
    environment.put("EGRESS_ACCESS_LOG", "false");
    environment.put("JAVA_TOOL_OPTIONS", "-Dlogback.configurationFile=logback.xml");
    return environment;
  }
}
