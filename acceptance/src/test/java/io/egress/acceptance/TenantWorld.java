package io.egress.acceptance;

import static io.egress.acceptance.BothRoles.PATIENCE;
import static io.egress.acceptance.BothRoles.done;
import static io.egress.acceptance.BothRoles.send;
import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.vertx.core.Vertx;
import io.vertx.core.http.HttpServer;
import io.vertx.core.http.HttpServerRequest;
import io.vertx.core.json.JsonArray;
import io.vertx.core.json.JsonObject;
import java.net.URI;
import java.net.http.HttpRequest;
import java.net.http.HttpRequest.BodyPublishers;
import java.net.http.HttpResponse;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.UUID;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentHashMap;
import org.jspecify.annotations.Nullable;

/** Both roles, and workspaces whose captures are put, pulled and delivered. */
final class TenantWorld implements AutoCloseable {
  private final Vertx vertx = Vertx.vertx();
  private final Set<String> failedOnce = ConcurrentHashMap.newKeySet();
  private final Set<String> delivered = ConcurrentHashMap.newKeySet();
  private final Set<String> down = ConcurrentHashMap.newKeySet();
  private final String receiver;
  private final BothRoles roles;

  /** A workspace with a key and an endpoint called {@code live}. */
  record Tenant(UUID workspace, String key) {}

  TenantWorld(Map<String, String> environment) {
    HttpServer server =
        done(vertx.createHttpServer().requestHandler(this::receive).listen(0, "127.0.0.1"));
    receiver = "http://127.0.0.1:" + server.actualPort() + "/";
    roles = new BothRoles(environment);
  }

  Tenant tenant(UUID workspace) {
    String key = roles.mintKey(workspace);
    endpoint(workspace, "live", false);
    return new Tenant(workspace, key);
  }

  int internalPort() {
    return roles.internalPort();
  }

  /** A call of the internal API. */
  JsonObject call(String method, String path, JsonObject body) {
    return roles.call(method, path, body);
  }

  /** The receiver fails the first attempt of each capture at an endpoint called {@code flaky}. */
  void endpoint(UUID workspace, String name, boolean fullHistory) {
    roles.call(
        "POST",
        "/workspaces/" + workspace + "/endpoints",
        new JsonObject().put("url", receiver + name).put("full_history", fullHistory));
  }

  /** The receiver fails every attempt at this endpoint until it is repaired. */
  void breakDown(String name) {
    down.add(name);
  }

  void repair(String name) {
    down.remove(name);
  }

  String receiver(String name) {
    return receiver + name;
  }

  /** Puts a capture, pulls it, renames who speaks in it, and waits until it is delivered. */
  UUID passThrough(Tenant tenant) {
    UUID id = UUID.randomUUID();
    UUID member = UUID.randomUUID();
    roles.call("PUT", "/captures/" + id, capture(tenant, member, "Ada"));
    await().atMost(PATIENCE).until(() -> get(tenant, "/api/v1/captures/" + id).contains("Ada"));
    roles.call(
        "PUT",
        "/members/" + member,
        new JsonObject().put("workspace_id", tenant.workspace().toString()).put("name", "Grace"));
    assertThat(get(tenant, "/api/v1/captures/" + id)).contains("Grace");
    roles.call("PUT", "/captures/" + id, capture(tenant, member, "Grace").put("title", "fixed"));
    assertThat(get(tenant, "/api/v1/captures/" + id)).contains("fixed");
    assertThat(get(tenant, "/api/v1/captures?limit=100")).contains("pageInfo");
    await().atMost(PATIENCE).until(() -> isDelivered("live", id));
    return id;
  }

  /** Puts a capture until it is accepted, as the pipeline does. */
  void put(Tenant tenant, UUID id) {
    JsonObject body = capture(tenant, UUID.randomUUID(), "Ada");
    await()
        .atMost(PATIENCE)
        .ignoreException(IllegalStateException.class)
        .until(() -> !roles.call("PUT", "/captures/" + id, body).isEmpty());
  }

  /** The answer to a request for a page after {@code cursor}; null begins at the start. */
  HttpResponse<String> page(Tenant tenant, @Nullable String cursor) {
    String after = cursor == null ? "" : "?after=" + cursor;
    return roles.pull("/api/v1/captures" + after, tenant.key());
  }

  /** What is answered, to a request that waits, once the tenant has another capture. */
  CompletableFuture<String> nextCapture(Tenant tenant) {
    String end =
        new JsonObject(get(tenant, "/api/v1/captures?limit=100"))
            .getJsonObject("pageInfo")
            .getString("endCursor");
    CompletableFuture<String> next =
        CompletableFuture.supplyAsync(() -> get(tenant, "/api/v1/captures?wait=30&after=" + end));
    await().atMost(PATIENCE).until(() -> roles.metricsOfApi().contains("egress_pull_held 1.0"));
    return next;
  }

  /** The verification of the endpoint called {@code live}. */
  JsonObject verify(Tenant tenant) {
    String endpoints = "/workspaces/" + tenant.workspace() + "/endpoints";
    JsonObject nothing = new JsonObject();
    String id =
        roles
            .call("GET", endpoints, nothing)
            .getJsonArray("endpoints")
            .getJsonObject(0)
            .getString("id");
    return roles.call("GET", endpoints + "/" + id + "/verification", nothing);
  }

  /** Requests a rebuild, and waits until all that is due was published. */
  void rebuildQueue() {
    roles.call("POST", "/queue/rebuild", new JsonObject());
    await()
        .atMost(PATIENCE)
        .until(
            () ->
                Set.of("waiting", "finished")
                    .contains(
                        roles
                            .call("GET", "/queue", new JsonObject())
                            .getJsonObject("rebuild")
                            .getString("state")));
  }

  /** Opens the settings page of the tenant, and reads what it says of deliveries. */
  void lookAtThePage(Tenant tenant) {
    String workspace = "/workspaces/" + tenant.workspace();
    String link =
        roles
            .call("POST", workspace + "/portal-links", new JsonObject().put("role", "view"))
            .getString("url");
    HttpResponse<String> opened =
        send(
            HttpRequest.newBuilder(URI.create(link.substring(0, link.indexOf('?'))))
                .header("content-type", "application/x-www-form-urlencoded")
                .POST(BodyPublishers.ofString(link.substring(link.indexOf('?') + 1))));
    String cookie = opened.headers().firstValue("set-cookie").orElseThrow().replaceFirst(";.*", "");
    String page = "/portal/" + tenant.workspace();
    for (String path :
        List.of(
            "/",
            "/keys",
            "/endpoints",
            "/deliveries",
            "/deliveries?state=exhausted",
            "/replays",
            "/audit")) {
      HttpResponse<String> shown =
          send(HttpRequest.newBuilder(roles.internalUrl(page + path)).header("cookie", cookie));
      assertThat(shown.statusCode()).as(path).isEqualTo(200);
    }
  }

  boolean isDelivered(String endpoint, UUID capture) {
    return delivered.contains(endpoint + " " + capture);
  }

  @Override
  public void close() {
    roles.close();
    done(vertx.close());
  }

  private void receive(HttpServerRequest request) {
    String endpoint = request.path().substring(1);
    request
        .body()
        .onSuccess(
            body -> {
              String capture = captureOf(body.toJsonObject());
              boolean fails =
                  down.contains(endpoint)
                      || (endpoint.equals("flaky") && failedOnce.add(endpoint + " " + capture));
              if (!fails) {
                delivered.add(endpoint + " " + capture);
              }
              request.response().setStatusCode(fails ? 503 : 204).end();
            });
  }

  private static String captureOf(JsonObject envelope) {
    return envelope.getJsonObject("data").getString("id");
  }

  private static JsonObject capture(Tenant tenant, UUID member, String name) {
    String workspace = tenant.workspace().toString();
    JsonObject person = new JsonObject().put("id", member.toString()).put("name", name);
    JsonObject participant =
        new JsonObject().put("label", "S1").put("member", person).put("speech_ms", 900);
    JsonObject segment =
        new JsonObject()
            .put("start_ms", 0)
            .put("end_ms", 900)
            .put("speaker", "S1")
            .put("text", "Hello.");
    return new JsonObject()
        .put("workspace_id", workspace)
        .put("mode", "ambient")
        .put("started_at", "2026-01-02T03:04:05Z")
        .put("device", new JsonObject().put("id", workspace))
        .put("participants", new JsonArray(List.of(participant)))
        .put("segments", new JsonArray(List.of(segment)));
  }

  private String get(Tenant tenant, String path) {
    return roles.pull(path, tenant.key()).body();
  }
}
