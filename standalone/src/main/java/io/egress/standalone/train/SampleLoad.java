package io.egress.standalone.train;

import io.egress.cli.InternalApi;
import io.egress.standalone.demo.SampleConversations;
import io.egress.standalone.receiver.WebhookReceiver;
import io.egress.standalone.receiver.WebhookReceiver.Answering;
import io.vertx.core.json.JsonObject;
import java.io.IOException;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse.BodyHandlers;
import java.time.Duration;
import java.util.List;
import java.util.UUID;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;

/** What clients of all kinds do for a while: the pipeline, readers, receivers, administrators. */
final class SampleLoad {
  private static final int SEGMENTS = 90;
  private static final int PUTS_A_ROUND = 5;
  private static final Duration PAUSE = Duration.ofMillis(50);
  private static final List<String> READ =
      List.of("captures?limit=20", "changes?limit=20", "inventory");
  private static final List<String> LISTED =
      List.of("endpoints", "captures", "deliveries?limit=20", "api-keys", "audit");

  private final HttpClient http =
      HttpClient.newBuilder().version(HttpClient.Version.HTTP_1_1).build();
  private final UUID workspace = UUID.randomUUID();
  private final SampleConversations samples = new SampleConversations(1, workspace);
  private final InternalApi api;
  private final String publicUrl;
  private final String key;

  SampleLoad(InternalApi api, int publicPort, WebhookReceiver receiver) {
    this.api = api;
    this.publicUrl = "http://127.0.0.1:" + publicPort + "/api/v1/";
    endpoint(receiver, "healthy", Answering.healthy());
    endpoint(receiver, "flaky", Answering.failingAtFirst(20, 1));
    this.key =
        api.call("POST", at("api-keys"), new JsonObject().put("name", "training")).getString("key");
  }

  private void endpoint(WebhookReceiver receiver, String name, Answering answering) {
    JsonObject made =
        api.call("POST", at("endpoints"), new JsonObject().put("url", receiver.url(name)));
    receiver.add(name, made.getString("secret"), answering);
  }

  /** What fails is left out: a training run has the lowest priority, and may be starved. */
  void run(Duration length) throws InterruptedException {
    long end = System.nanoTime() + length.toNanos();
    int rounds = 0;
    @Nullable Exception last = null;
    while (System.nanoTime() < end) {
      try {
        round();
        rounds++;
      } catch (IOException | RuntimeException failure) {
        last = failure;
      }
      TimeUnit.NANOSECONDS.sleep(PAUSE.toNanos());
    }
    if (rounds == 0) {
      throw new IllegalStateException("the sample load came to nothing", last);
    }
  }

  private void round() throws IOException, InterruptedException {
    read(put());
    LISTED.forEach(list -> api.call("GET", at(list), new JsonObject()));
  }

  private UUID put() {
    UUID id = UUID.randomUUID();
    for (int i = 0; i < PUTS_A_ROUND; i++) {
      id = UUID.randomUUID();
      api.call("PUT", "/captures/" + id, samples.next(SEGMENTS));
    }
    return id;
  }

  private void read(UUID capture) throws IOException, InterruptedException {
    for (String path : READ) {
      get(path, "application/json");
    }
    get("captures", "application/x-ndjson");
    get("captures/" + capture, "application/json");
  }

  private void get(String path, String accept) throws IOException, InterruptedException {
    HttpRequest request =
        HttpRequest.newBuilder(URI.create(publicUrl + path))
            .header("authorization", "Bearer " + key)
            .header("accept", accept)
            .header("accept-encoding", "gzip")
            .build();
    int status = http.send(request, BodyHandlers.discarding()).statusCode();
    if (status >= 400) {
      throw new IllegalStateException(path + " was answered with " + status);
    }
  }

  private String at(String list) {
    return "/workspaces/" + workspace + "/" + list;
  }
}
