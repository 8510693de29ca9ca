package io.egress.acceptance;

import static org.awaitility.Awaitility.await;

import io.egress.api.ApiApp;
import io.egress.cli.InternalApi;
import io.egress.dispatcher.DispatcherApp;
import io.egress.platform.database.Database;
import io.egress.platform.metrics.MeasuredVertx;
import io.egress.settings.Settings;
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
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.UUID;
import java.util.concurrent.ConcurrentHashMap;

/** Both roles as two processes would run them, each with its own page of metrics. */
final class ScrapedRoles implements AutoCloseable {
  private static final HttpClient HTTP = HttpClient.newHttpClient();
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
    addFailingEndpoint();
    api = BothRoles.done(ApiApp.start(apiVertx, settings));
    dispatcher = BothRoles.done(DispatcherApp.start(dispatcherVertx, settings));
    await().atMost(KNOWN_AFTER).until(() -> !(api() + dispatcher()).contains(" NaN"));
  }

  /** Metrics of failing endpoints have no lines without one. */
  private void addFailingEndpoint() {
    String workspace = UUID.randomUUID().toString();
    query("insert into workspaces (id) values ('" + workspace + "')");
    query(
        """
        insert into endpoints (id, workspace_id, url, secret, created_position, full_history, failing_since)
        values (gen_random_uuid(), '%s', 'https://receiver.invalid/', '', 0, false, now() - interval '1 hour')
        """
            .formatted(workspace));
  }

  /**
   * From now on captures finish, are pulled, and are sent to receivers that take them, that refuse
   * each one first, and that refuse them all.
   */
  void workOn() {
    HttpServer receiver =
        BothRoles.done(
            apiVertx.createHttpServer().requestHandler(this::receive).listen(0, "127.0.0.1"));
    InternalApi internal = new InternalApi("127.0.0.1", apiPort(), BothRoles.TOKEN);
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
    Pool pool = Database.pool(apiVertx, settings.database(), "test", 1);
    BothRoles.done(pool.query(sql).execute());
    BothRoles.done(pool.close());
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
    BothRoles.done(dispatcher.close());
    BothRoles.done(api.close());
    BothRoles.done(dispatcherVertx.close());
    BothRoles.done(apiVertx.close());
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

  /** Reconciliation at its usual pace, because its metrics are watched. */
  private static Map<String, String> environment() {
    Map<String, String> environment = BothRoles.environment();
    environment.remove("reconcile-after");
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
}
