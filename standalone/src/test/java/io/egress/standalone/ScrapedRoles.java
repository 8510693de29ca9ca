package io.egress.standalone;

import static org.awaitility.Awaitility.await;

import io.egress.api.ApiApp;
import io.egress.cli.InternalApi;
import io.egress.database.DatabasePool;
import io.egress.dispatcher.DispatcherApp;
import io.egress.embedded.SharedBackends;
import io.egress.endpoint.SecretBox;
import io.egress.metrics.MeasuredVertx;
import io.egress.settings.Settings;
import io.vertx.core.Future;
import io.vertx.core.Vertx;
import io.vertx.core.http.HttpServer;
import io.vertx.core.http.HttpServerRequest;
import io.vertx.core.json.JsonArray;
import io.vertx.core.json.JsonObject;
import io.vertx.sqlclient.Pool;
import java.io.IOException;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse.BodyHandlers;
import java.time.Duration;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.UUID;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;

/** Both roles as two processes would run them, each with its own page of metrics. */
final class ScrapedRoles implements AutoCloseable {
  private static final HttpClient HTTP = HttpClient.newHttpClient();
  private static final String TOKEN = "test-token-of-the-internal-api";
  private static final String WORKSPACE = UUID.randomUUID().toString();
  private static final Duration WORK_PERIOD = Duration.ofMillis(300);
  private static final Duration KNOWN_AFTER = Duration.ofSeconds(30);

  private final Vertx apiVertx = MeasuredVertx.create();
  private final Set<String> refusedOnce = ConcurrentHashMap.newKeySet();
  private final Vertx dispatcherVertx = MeasuredVertx.create();
  private final Settings settings = Settings.from(environment());
  private final ApiApp api;
  private final DispatcherApp dispatcher;

  ScrapedRoles() {
    api = done(ApiApp.start(apiVertx, settings));
    dispatcher = done(DispatcherApp.start(dispatcherVertx, settings));
    await().atMost(KNOWN_AFTER).until(() -> !(api() + dispatcher()).contains(" NaN"));
  }

  /**
   * From now on captures finish, are pulled, and are sent to receivers that take them, that refuse
   * each one first, and that refuse them all.
   */
  void workOn() {
    HttpServer receiver =
        done(apiVertx.createHttpServer().requestHandler(this::receive).listen(0, "127.0.0.1"));
    InternalApi internal = new InternalApi("127.0.0.1", apiPort(), TOKEN);
    String workspace = "/workspaces/" + WORKSPACE;
    for (String path : List.of("/fine", "/flaky", "/broken")) {
      String url = "http://127.0.0.1:" + receiver.actualPort() + path;
      internal.call("POST", workspace + "/endpoints", new JsonObject().put("url", url));
    }
    String key =
        internal
            .call("POST", workspace + "/api-keys", new JsonObject().put("name", "test"))
            .getString("key");
    apiVertx.setPeriodic(
        WORK_PERIOD.toMillis(),
        tick ->
            apiVertx.executeBlocking(
                () -> {
                  internal.call("PUT", "/captures/" + UUID.randomUUID(), capture());
                  return get("http://127.0.0.1:" + api.publicPort() + "/api/v1/captures", key);
                }));
  }

  void query(String sql) {
    Pool pool = DatabasePool.open(apiVertx, settings.database(), "test", 1);
    done(pool.query(sql).execute());
    done(pool.close());
  }

  String api() {
    return scrape(apiPort());
  }

  String dispatcher() {
    return scrape(dispatcherPort());
  }

  int apiPort() {
    return api.internalPort();
  }

  int dispatcherPort() {
    return dispatcher.internalPort().orElseThrow();
  }

  @Override
  public void close() {
    done(dispatcher.close());
    done(api.close());
    done(dispatcherVertx.close());
    done(apiVertx.close());
  }

  private void receive(HttpServerRequest request) {
    boolean first = refusedOnce.add(request.getHeader("x-service-delivery"));
    int status =
        switch (request.path()) {
          case "/broken" -> 404;
          case "/flaky" -> first ? 503 : 204;
          default -> 204;
        };
    request.response().setStatusCode(status).end();
  }

  private static JsonObject capture() {
    JsonObject segment =
        new JsonObject().put("start_ms", 0).put("end_ms", 900).put("text", "Hello.");
    return new JsonObject()
        .put("workspace_id", WORKSPACE)
        .put("mode", "ambient")
        .put("started_at", "2026-01-02T03:04:05Z")
        .put("device", new JsonObject().put("id", WORKSPACE))
        .put("participants", new JsonArray())
        .put("segments", new JsonArray().add(segment));
  }

  private static Map<String, String> environment() {
    SharedBackends backends = SharedBackends.get();
    Map<String, String> environment = new HashMap<>();
    environment.put("EGRESS_DATABASE_URL", backends.freshDatabase());
    environment.put("EGRESS_KAFKA_BOOTSTRAP", backends.kafkaBootstrap());
    environment.put("EGRESS_TOPIC_PREFIX", backends.freshPrefix());
    environment.put("EGRESS_TOPIC_PARTITIONS", "2");
    environment.put("EGRESS_INTERNAL_TOKEN", TOKEN);
    environment.put("EGRESS_SECRET_KEY", SecretBox.newKey());
    environment.put("EGRESS_PUBLIC_HOST", "127.0.0.1");
    environment.put("EGRESS_PUBLIC_PORT", "0");
    environment.put("EGRESS_INTERNAL_PORT", "0");
    environment.put("EGRESS_ALLOW_HTTP_ENDPOINTS", "true");
    environment.put("EGRESS_ALLOW_ENDPOINT_NETWORKS", "127.0.0.0/8");
    environment.put("EGRESS_RETRY_SCHEDULE", "1s,2s");
    return environment;
  }

  private static String scrape(int port) {
    return get("http://127.0.0.1:" + port + "/metrics", "none");
  }

  private static String get(String url, String key) {
    try {
      return HTTP.send(
              HttpRequest.newBuilder(URI.create(url))
                  .header("authorization", "Bearer " + key)
                  .build(),
              BodyHandlers.ofString())
          .body();
    } catch (IOException | InterruptedException failure) {
      throw new IllegalStateException(failure);
    }
  }

  private static <T> T done(Future<T> future) {
    try {
      return future.await(60, TimeUnit.SECONDS);
    } catch (TimeoutException late) {
      throw new AssertionError("nothing within a minute", late);
    }
  }
}
