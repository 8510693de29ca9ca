package io.egress.acceptance;

import static io.egress.acceptance.BothRoles.done;

import io.egress.api.ApiApp;
import io.egress.cli.InternalApi;
import io.egress.dispatcher.DispatcherApp;
import io.egress.platform.trace.TracedVertx;
import io.egress.settings.Settings;
import io.vertx.core.Vertx;
import io.vertx.core.http.HttpServerRequest;
import io.vertx.core.json.JsonArray;
import io.vertx.core.json.JsonObject;
import java.io.IOException;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpRequest.BodyPublishers;
import java.net.http.HttpResponse;
import java.net.http.HttpResponse.BodyHandlers;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.UUID;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.CopyOnWriteArrayList;
import org.jspecify.annotations.Nullable;

/**
 * An api and a dispatcher as two processes would trace, and a receiver that refuses each delivery
 * once.
 */
final class TracedRoles implements AutoCloseable {
  /** An attempt at the receiver; {@code traceparent} is null where it had none. */
  record Attempt(String delivery, @Nullable String traceparent, int status) {}

  private static final HttpClient HTTP = HttpClient.newHttpClient();

  private final Vertx outside;
  private final Vertx apiVertx;
  private final Vertx dispatcherVertx;
  private final ApiApp api;
  private final DispatcherApp dispatcher;
  private final Set<String> refusedOnce = ConcurrentHashMap.newKeySet();
  private final List<Attempt> attempts = new CopyOnWriteArrayList<>();
  private final UUID workspace = UUID.randomUUID();
  private final String key;

  TracedRoles(Vertx outside, Map<String, String> tracing) {
    this.outside = outside;
    Map<String, String> environment = new HashMap<>(BothRoles.environment());
    environment.putAll(tracing);
    Settings settings = Settings.from(environment, environment);
    apiVertx = TracedVertx.create(settings.process().tracing(), "transcript-egress-api");
    dispatcherVertx =
        TracedVertx.create(settings.process().tracing(), "transcript-egress-dispatcher");
    api = done(ApiApp.start(apiVertx, settings));
    dispatcher = done(DispatcherApp.start(dispatcherVertx, settings));
    int receiver =
        done(outside.createHttpServer().requestHandler(this::receive).listen(0, "127.0.0.1"))
            .actualPort();
    InternalApi internal = new InternalApi("127.0.0.1", api.internalPort(), BothRoles.TOKEN);
    String path = "/workspaces/" + workspace;
    internal.call(
        "POST",
        path + "/endpoints",
        new JsonObject().put("url", "http://127.0.0.1:" + receiver + "/secret-path"));
    key =
        internal
            .call("POST", path + "/api-keys", new JsonObject().put("name", "test"))
            .getString("key");
  }

  /** {@code traceparent} is what the caller of the hook follows. */
  UUID put(@Nullable String traceparent) throws IOException, InterruptedException {
    UUID id = UUID.randomUUID();
    HttpRequest.Builder request =
        HttpRequest.newBuilder(internal("/internal/v1/captures/" + id))
            .header("authorization", "Bearer " + BothRoles.TOKEN)
            .header("content-type", "application/json")
            .PUT(BodyPublishers.ofString(capture().encode()));
    if (traceparent != null) {
      request.header("traceparent", traceparent);
    }
    HttpResponse<String> answer = HTTP.send(request.build(), BodyHandlers.ofString());
    if (answer.statusCode() != 201) {
      throw new AssertionError(answer.body());
    }
    return id;
  }

  /** A client of the public listener that sends a {@code traceparent}. */
  int pull(String path, String traceparent) throws IOException, InterruptedException {
    URI url = URI.create("http://127.0.0.1:" + api.publicPort() + path);
    return HTTP.send(
            HttpRequest.newBuilder(url)
                .header("authorization", "Bearer " + key)
                .header("traceparent", traceparent)
                .build(),
            BodyHandlers.ofString())
        .statusCode();
  }

  /** Both roles' metrics. */
  String metrics() throws IOException, InterruptedException {
    StringBuilder both = new StringBuilder();
    for (int port : List.of(api.internalPort(), dispatcher.internalPort().orElseThrow())) {
      URI url = URI.create("http://127.0.0.1:" + port + "/metrics");
      both.append(HTTP.send(HttpRequest.newBuilder(url).build(), BodyHandlers.ofString()).body());
    }
    return both.toString();
  }

  /** In the order of their arrival. */
  List<Attempt> attempts() {
    return new ArrayList<>(attempts);
  }

  /** What has ended by now is exported then. */
  @Override
  public void close() {
    done(dispatcher.close());
    done(api.close());
    done(dispatcherVertx.close());
    done(apiVertx.close());
    done(outside.close());
  }

  private void receive(HttpServerRequest request) {
    String delivery = request.getHeader("x-service-delivery");
    int status = refusedOnce.add(delivery) ? 503 : 204;
    attempts.add(new Attempt(delivery, request.getHeader("traceparent"), status));
    request.response().setStatusCode(status).end();
  }

  private URI internal(String path) {
    return URI.create("http://127.0.0.1:" + api.internalPort() + path);
  }

  private JsonObject capture() {
    JsonObject segment =
        new JsonObject().put("start_ms", 0).put("end_ms", 900).put("text", "Hello.");
    return new JsonObject()
        .put("workspace_id", workspace.toString())
        .put("mode", "ambient")
        .put("started_at", "2026-01-02T03:04:05Z")
        .put("device", new JsonObject().put("id", workspace.toString()))
        .put("participants", new JsonArray())
        .put("segments", new JsonArray().add(segment));
  }
}
