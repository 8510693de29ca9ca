package io.egress.acceptance;

import static java.util.stream.Collectors.joining;
import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.egress.api.ApiApp;
import io.egress.cli.InternalApi;
import io.egress.dispatcher.DispatcherApp;
import io.egress.platform.trace.TracedVertx;
import io.egress.settings.Settings;
import io.egress.standalone.demo.SampleConversations;
import io.vertx.core.Future;
import io.vertx.core.Vertx;
import io.vertx.core.json.JsonArray;
import io.vertx.core.json.JsonObject;
import java.io.IOException;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpRequest.BodyPublishers;
import java.net.http.HttpResponse;
import java.net.http.HttpResponse.BodyHandlers;
import java.nio.charset.StandardCharsets;
import java.util.Iterator;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import java.util.TreeSet;
import java.util.UUID;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import org.jspecify.annotations.Nullable;

/**
 * An api and a dispatcher as two processes run them: with metrics, spans and connections of their
 * own. The dispatcher can be left out.
 */
public final class BothRoles implements AutoCloseable {
  public static final String TOKEN = "test-token-of-the-internal-api";

  private static final HttpClient HTTP = HttpClient.newHttpClient();

  private final Vertx vertxOfApi;
  private final Vertx vertxOfDispatcher;
  private final ApiApp api;
  private final @Nullable DispatcherApp dispatcher;
  private final InternalApi internal;

  public BothRoles(Map<String, String> environment) {
    this(environment, environment);
  }

  static BothRoles apiAlone(Map<String, String> environment) {
    return new BothRoles(environment, null);
  }

  /** Each has an environment of its own, and they may wait for each other. */
  BothRoles(Map<String, String> environment, @Nullable Map<String, String> ofDispatcher) {
    Settings settings = Settings.from(environment, environment);
    vertxOfApi = TracedVertx.create(settings.process().tracing(), "transcript-egress-api");
    vertxOfDispatcher =
        TracedVertx.create(settings.process().tracing(), "transcript-egress-dispatcher");
    Future<ApiApp> starting = ApiApp.start(vertxOfApi, settings);
    dispatcher =
        ofDispatcher == null
            ? null
            : done(
                DispatcherApp.start(vertxOfDispatcher, Settings.from(ofDispatcher, ofDispatcher)));
    api = done(starting);
    internal = new InternalApi("127.0.0.1", api.internalPort(), TOKEN);
  }

  /** Of a service that delivers over HTTP to this machine, and tries again at once. */
  static Map<String, String> environment() {
    Map<String, String> environment = TestEnvironment.fresh(TOKEN);
    environment.put("EGRESS_ALLOW_HTTP_ENDPOINTS", "true");
    environment.put("EGRESS_ALLOW_ENDPOINT_NETWORKS", "127.0.0.0/8");
    environment.put("EGRESS_RETRY_SCHEDULE", "1s,2s");
    environment.put("reconcile-after", "1s");
    return environment;
  }

  public InternalApi internal() {
    return internal;
  }

  /** A call of the internal API. */
  public JsonObject call(String method, String path, JsonObject body) {
    return internal.call(method, path, body);
  }

  public int internalPort() {
    return api.internalPort();
  }

  public int dispatcherPort() {
    if (dispatcher == null) {
      throw new IllegalStateException("There is no dispatcher");
    }
    return dispatcher.internalPort().orElseThrow();
  }

  public URI internalUrl(String path) {
    return URI.create("http://127.0.0.1:" + api.internalPort() + path);
  }

  public URI publicUrl(String path) {
    return URI.create("http://127.0.0.1:" + api.publicPort() + path);
  }

  public String metricsOfApi() {
    return metrics(api.internalPort());
  }

  public String metricsOfDispatcher() {
    return metrics(dispatcherPort());
  }

  private static String metrics(int port) {
    return send(HttpRequest.newBuilder(URI.create("http://127.0.0.1:" + port + "/metrics"))).body();
  }

  public String mintKey(UUID workspace) {
    return call(
            "POST", "/workspaces/" + workspace + "/api-keys", new JsonObject().put("name", "test"))
        .getString("key");
  }

  /** A call with an idempotency key. */
  public void mintIdempotently(UUID workspace, String idempotencyKey) {
    HttpResponse<String> minted =
        send(
            HttpRequest.newBuilder(
                    internalUrl("/internal/v1/workspaces/" + workspace + "/api-keys"))
                .header("authorization", "Bearer " + TOKEN)
                .header("content-type", "application/json")
                .header("idempotency-key", idempotencyKey)
                .POST(BodyPublishers.ofString(new JsonObject().put("name", "once").encode())));
    assertThat(minted.statusCode()).as(minted.body()).isEqualTo(201);
  }

  /** Opens a session of the settings page with a link, and returns its cookie. */
  public String openPage(String link) {
    HttpResponse<String> opened =
        send(
            HttpRequest.newBuilder(URI.create(link.substring(0, link.indexOf('#'))))
                .header("content-type", "application/x-www-form-urlencoded")
                .POST(BodyPublishers.ofString("token=" + link.substring(link.indexOf('#') + 1))));
    return opened.headers().firstValue("set-cookie").orElseThrow().replaceFirst(";.*", "");
  }

  UUID endpoint(UUID workspace, String url) {
    return UUID.fromString(
        call("POST", "/workspaces/" + workspace + "/endpoints", new JsonObject().put("url", url))
            .getString("id"));
  }

  /** Of the workspace's first endpoint. */
  JsonObject verification(UUID workspace) {
    String endpoints = "/workspaces/" + workspace + "/endpoints";
    JsonObject first =
        call("GET", endpoints, new JsonObject()).getJsonArray("endpoints").getJsonObject(0);
    String path = endpoints + "/" + first.getString("id") + "/verification";
    return call("GET", path, new JsonObject());
  }

  /** What the public listener answers to a key. */
  public HttpResponse<String> pull(String path, String key) {
    return send(HttpRequest.newBuilder(publicUrl(path)).header("authorization", "Bearer " + key));
  }

  /** The smallest capture that enters the stream. */
  public static JsonObject capture(UUID workspace) {
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

  /** Imports captures, waits for them in the stream, and names them. */
  Set<String> finish(UUID workspace, int captures) {
    SampleConversations conversations =
        new SampleConversations(workspace.getLeastSignificantBits(), workspace);
    TreeMap<String, JsonObject> finished = new TreeMap<>();
    for (int i = 0; i < captures; i++) {
      String id = UUID.randomUUID().toString();
      finished.put(id, conversations.next(2).put("id", id));
    }
    HttpRequest.Builder history =
        HttpRequest.newBuilder(internalUrl("/internal/v1/captures"))
            .header("authorization", "Bearer " + TOKEN)
            .header("content-type", "application/x-ndjson")
            .POST(
                BodyPublishers.ofString(
                    finished.values().stream().map(JsonObject::encode).collect(joining("\n"))));
    assertThat(send(history).body()).contains("\"created\":" + captures);
    String key = mintKey(workspace);
    String last = "/api/v1/captures/" + finished.lastKey();
    await().until(() -> pull(last, key).statusCode() == 200);
    return new TreeSet<>(finished.keySet());
  }

  /**
   * Renames a member in all of the captures of {@link #finish}, corrects one and erases one, whose
   * id is returned.
   */
  String change(UUID workspace, Set<String> captures) {
    Iterator<String> ids = captures.iterator();
    String erased = ids.next();
    String corrected = ids.next();
    String member =
        UUID.nameUUIDFromBytes("Ada Fischer".getBytes(StandardCharsets.UTF_8)).toString();
    call(
        "PUT",
        "/members/" + member,
        new JsonObject().put("workspace_id", workspace.toString()).put("name", "Ada O'Neill-Ünal"));
    call(
        "PUT",
        "/captures/" + corrected,
        capture(workspace).put("title", "Corrected").put("mode", "manual"));
    call("DELETE", "/captures/" + erased, new JsonObject().put("reason", "requested"));
    return erased;
  }

  /** The captures as they are now, without the time of the request; erased ones are left out. */
  Map<String, JsonObject> documents(String key, Set<String> ids) {
    Map<String, JsonObject> documents = new TreeMap<>();
    for (String id : ids) {
      HttpResponse<String> response = pull("/api/v1/captures/" + id, key);
      if (response.statusCode() != 410) {
        documents.put(id, withoutTime(new JsonObject(response.body())));
      }
    }
    return documents;
  }

  /** A document without the time of the request that it was read by. */
  static JsonObject withoutTime(JsonObject document) {
    assertThat(document.remove("emitted_at")).isNotNull();
    return document;
  }

  public static HttpResponse<String> send(HttpRequest.Builder request) {
    try {
      return HTTP.send(request.build(), BodyHandlers.ofString());
    } catch (IOException | InterruptedException failure) {
      throw new IllegalStateException(failure);
    }
  }

  public static <T> T done(Future<T> future) {
    try {
      return future.await(60, TimeUnit.SECONDS);
    } catch (TimeoutException late) {
      throw new AssertionError("nothing within a minute", late);
    }
  }

  @Override
  public void close() {
    if (dispatcher != null) {
      done(dispatcher.close());
    }
    done(api.close());
    done(vertxOfDispatcher.close());
    done(vertxOfApi.close());
  }
}
