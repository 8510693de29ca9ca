package io.egress.acceptance;

import static java.util.stream.Collectors.joining;
import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.egress.api.ApiApp;
import io.egress.cli.InternalApi;
import io.egress.platform.lifecycle.RunningProcess;
import io.egress.settings.Settings;
import io.egress.standalone.demo.SampleConversations;
import io.vertx.core.Vertx;
import io.vertx.core.json.JsonObject;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpRequest.BodyPublishers;
import java.net.http.HttpResponse.BodyHandlers;
import java.time.Duration;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import java.util.TreeSet;
import java.util.UUID;

/** An api role on a database of its own, for clients that run beside it. */
final class RunningApi implements AutoCloseable {
  private static final Duration PATIENCE = Duration.ofSeconds(60);
  private static final String TOKEN = "token-of-the-shown-programs";

  private final Vertx vertx = Vertx.vertx();
  private final ApiApp app = RunningProcess.await(ApiApp.start(vertx, settings()));
  private final InternalApi internal = new InternalApi("127.0.0.1", app.internalPort(), TOKEN);

  String url() {
    return "http://127.0.0.1:" + app.publicPort();
  }

  String mintKey(UUID workspace) {
    return internal
        .call(
            "POST", "/workspaces/" + workspace + "/api-keys", new JsonObject().put("name", "shown"))
        .getString("key");
  }

  /** Imports captures, waits for them in the stream, and names them. */
  Set<String> finish(UUID workspace, int captures) throws Exception {
    SampleConversations conversations =
        new SampleConversations(workspace.getLeastSignificantBits(), workspace);
    TreeMap<String, JsonObject> finished = new TreeMap<>();
    for (int i = 0; i < captures; i++) {
      String id = UUID.randomUUID().toString();
      finished.put(id, conversations.next(2).put("id", id));
    }
    HttpRequest history =
        HttpRequest.newBuilder(
                URI.create("http://127.0.0.1:" + app.internalPort() + "/internal/v1/captures"))
            .header("authorization", "Bearer " + TOKEN)
            .header("content-type", "application/x-ndjson")
            .POST(
                BodyPublishers.ofString(
                    finished.values().stream().map(JsonObject::encode).collect(joining("\n"))))
            .build();
    assertThat(HttpClient.newHttpClient().send(history, BodyHandlers.ofString()).body())
        .contains("\"created\":" + captures);
    String last = finished.lastKey();
    String key = mintKey(workspace);
    await().atMost(PATIENCE).until(() -> isThere(last, key));
    return new TreeSet<>(finished.keySet());
  }

  void erase(String capture) {
    internal.call("DELETE", "/captures/" + capture, new JsonObject().put("reason", "requested"));
  }

  private boolean isThere(String capture, String key) throws Exception {
    HttpRequest show =
        HttpRequest.newBuilder(URI.create(url() + "/api/v1/captures/" + capture))
            .header("authorization", "Bearer " + key)
            .build();
    return HttpClient.newHttpClient().send(show, BodyHandlers.discarding()).statusCode() == 200;
  }

  private static Settings settings() {
    Map<String, String> environment = TestEnvironment.fresh(TOKEN);
    environment.put("EGRESS_TOPIC_PARTITIONS", "1");
    return Settings.from(environment);
  }

  @Override
  public void close() {
    RunningProcess.await(app.close());
    RunningProcess.await(vertx.close());
  }
}
