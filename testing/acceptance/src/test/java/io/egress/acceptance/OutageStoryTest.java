package io.egress.acceptance;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.egress.cli.InternalApi;
import io.egress.platform.lifecycle.RunningProcess;
import io.egress.standalone.demo.SampleConversations;
import io.egress.standalone.receiver.LocalCertificate;
import io.egress.standalone.receiver.WebhookReceiver;
import io.egress.standalone.receiver.WebhookReceiver.Arrival;
import io.egress.standalone.receiver.WebhookVerifier.Verdict;
import io.vertx.core.Vertx;
import io.vertx.core.json.JsonArray;
import io.vertx.core.json.JsonObject;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpRequest.BodyPublishers;
import java.net.http.HttpResponse;
import java.net.http.HttpResponse.BodyHandlers;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Queue;
import java.util.Set;
import java.util.UUID;
import java.util.concurrent.ConcurrentLinkedQueue;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.CleanupMode;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.api.parallel.Execution;
import org.junit.jupiter.api.parallel.ExecutionMode;

/** An endpoint is down past its last retry, and gets what it missed, as the runbook says. */
@Tag("full")
@Execution(ExecutionMode.CONCURRENT)
class OutageStoryTest {
  private static final String TOKEN = "a-token-of-the-internal-api";
  private static final Duration PATIENCE = Duration.ofSeconds(90);
  private static final int MISSED = 1_500;

  private final UUID workspace = UUID.randomUUID();
  private final SampleConversations conversations = new SampleConversations(1, workspace);
  private final Queue<Arrival> arrivals = new ConcurrentLinkedQueue<>();
  private final Path folder;
  private volatile boolean down;

  OutageStoryTest(@TempDir(cleanup = CleanupMode.ON_SUCCESS) Path folder) {
    this.folder = folder;
  }

  @Test
  void aReplayKilledInTheMiddleStillRedeliversExactlyWhatWasMissed() throws Exception {
    Vertx vertx = Vertx.vertx();
    try (LocalCertificate certificate = LocalCertificate.make()) {
      WebhookReceiver receiver =
          RunningProcess.await(WebhookReceiver.start(vertx, certificate, arrivals::add));
      Set<String> before;
      Set<String> missed;
      String endpoint;
      try (CommandLine up = CommandLine.start(environment(certificate), "up")) {
        String port = internalPort(up);
        InternalApi api = new InternalApi("127.0.0.1", Integer.parseInt(port), TOKEN);
        JsonObject created =
            api.call(
                "POST",
                "/workspaces/" + workspace + "/endpoints",
                new JsonObject().put("url", receiver.url("crm")));
        endpoint = created.getString("id");
        receiver.add("crm", created.getString("secret"), (_, _) -> down ? 503 : 200);
        before = finish(port, 50);
        await().atMost(PATIENCE).until(() -> verified(port).getLong("delivered") == 50);

        down = true;
        missed = finish(port, MISSED);
        await().atMost(PATIENCE).until(() -> verified(port).getLong("exhausted") == MISSED);
        JsonObject outage = verify(port, 3);
        assertThat(outage.getLong("delivered")).isEqualTo(50);
        assertThat(outage.getLong("replayable")).isEqualTo(MISSED);
        assertThat(outage.getLong("missing")).isZero();

        down = false;
        arrivals.clear();
        JsonObject replay =
            new JsonObject(
                run(
                    0,
                    port,
                    "replays",
                    "start",
                    workspace.toString(),
                    endpoint,
                    "--failed",
                    "--json"));
        assertThat(replay.getString("only")).isEqualTo("undelivered");
        await().atMost(PATIENCE).until(() -> arrivals.size() > 100);
        up.kill();
      }
      int arrivedBeforeTheKill = accepted().size();
      try (CommandLine up = CommandLine.start(environment(certificate), "up")) {
        String port = internalPort(up);
        await().atMost(PATIENCE).until(() -> verified(port).getLong("delivered") == MISSED + 50);
        JsonObject complete = verify(port, 0);
        assertThat(complete.getLong("replayable")).isZero();
        assertThat(complete.getLong("missing")).isZero();
        assertThat(accepted()).isEqualTo(missed).doesNotContainAnyElementsOf(before);
        assertThat(arrivedBeforeTheKill).as("the kill came too late").isLessThan(MISSED);

        JsonObject replay =
            new JsonObject(
                    run(0, port, "replays", "list", workspace.toString(), endpoint, "--json"))
                .getJsonArray("replays")
                .getJsonObject(0);
        assertThat(replay.getLong("published")).isEqualTo(MISSED);
        assertThat(
                run(
                    0,
                    port,
                    "replays",
                    "start",
                    workspace.toString(),
                    endpoint,
                    "--failed",
                    "--wait"))
            .as("nothing is left to replay")
            .containsPattern("published +0");
      }
    } finally {
      RunningProcess.await(vertx.close());
    }
  }

  private Set<String> accepted() {
    Set<String> captures = new HashSet<>();
    for (Arrival arrival : arrivals) {
      if (arrival.status() == 200 && arrival.verdict() instanceof Verdict.Genuine genuine) {
        captures.add(genuine.data().getString("id"));
      }
    }
    return captures;
  }

  private JsonObject verified(String port) {
    JsonArray endpoints =
        new InternalApi("127.0.0.1", Integer.parseInt(port), TOKEN)
            .call("GET", "/workspaces/" + workspace + "/endpoints", new JsonObject())
            .getJsonArray("endpoints");
    return new InternalApi("127.0.0.1", Integer.parseInt(port), TOKEN)
        .call(
            "GET",
            "/workspaces/"
                + workspace
                + "/endpoints/"
                + endpoints.getJsonObject(0).getString("id")
                + "/verification",
            new JsonObject());
  }

  private JsonObject verify(String port, int status) throws Exception {
    return new JsonObject(run(status, port, "verify", workspace.toString(), "--json"))
        .getJsonArray("endpoints")
        .getJsonObject(0);
  }

  private static String run(int status, String port, String... arguments) {
    return new Administrator(Integer.parseInt(port), TOKEN).run(status, arguments);
  }

  /** Imports captures; returns their ids. */
  private Set<String> finish(String port, int count) throws Exception {
    List<String> lines = new ArrayList<>();
    Set<String> ids = new HashSet<>();
    for (int i = 0; i < count; i++) {
      String id = UUID.randomUUID().toString();
      ids.add(id);
      lines.add(conversations.next(2).put("id", id).encode());
    }
    HttpResponse<String> imported =
        HttpClient.newHttpClient()
            .send(
                HttpRequest.newBuilder(
                        URI.create("http://127.0.0.1:" + port + "/internal/v1/captures"))
                    .header("authorization", "Bearer " + TOKEN)
                    .header("content-type", "application/x-ndjson")
                    .POST(BodyPublishers.ofString(String.join("\n", lines)))
                    .build(),
                BodyHandlers.ofString());
    assertThat(imported.statusCode()).as(imported.body()).isEqualTo(200);
    return ids;
  }

  private Map<String, String> environment(LocalCertificate certificate) {
    Map<String, String> environment = new HashMap<>();
    environment.put("EGRESS_DATA_DIR", folder.resolve("data").toString());
    environment.put("EGRESS_PUBLIC_PORT", "0");
    environment.put("EGRESS_INTERNAL_PORT", "0");
    environment.put("EGRESS_INTERNAL_TOKEN", TOKEN);
    environment.put("EGRESS_RETRY_SCHEDULE", "100ms,200ms");
    environment.put("EGRESS_ALLOW_ENDPOINT_NETWORKS", "127.0.0.0/8");
    environment.put("EGRESS_EXTRA_TRUST", certificate.pem().toString());
    return environment;
  }

  private static String internalPort(CommandLine up) {
    return up.awaitOutput("internal API on http://127.0.0.1:(\\d+)/internal/v1");
  }
}
