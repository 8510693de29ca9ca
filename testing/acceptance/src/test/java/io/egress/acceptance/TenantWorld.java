package io.egress.acceptance;

import static io.egress.acceptance.BothRoles.done;
import static io.egress.acceptance.BothRoles.send;
import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.vertx.core.Vertx;
import io.vertx.core.json.JsonArray;
import io.vertx.core.json.JsonObject;
import java.net.URI;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.UUID;
import java.util.concurrent.CompletableFuture;
import org.jspecify.annotations.Nullable;

/** Both roles, and workspaces whose captures are put, pulled and delivered. */
final class TenantWorld implements AutoCloseable {
  private final Vertx vertx = Vertx.vertx();
  private final Inbox inbox = new Inbox(vertx);
  private final BothRoles roles;

  /** A workspace with a key and an endpoint called {@code live}. */
  record Tenant(UUID workspace, String key) {}

  TenantWorld(Map<String, String> environment) {
    inbox.makeFlaky("flaky");
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

  /** Not while the database is too busy to answer. */
  boolean isReady() {
    return send(HttpRequest.newBuilder(
                URI.create("http://127.0.0.1:" + internalPort() + "/health/ready")))
            .statusCode()
        == 200;
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
        new JsonObject().put("url", inbox.url(name)).put("full_history", fullHistory));
  }

  /** The receiver fails every attempt at this endpoint, and at no other, until it is repaired. */
  void breakDown(String name) {
    inbox.onlyDown(Set.of(name));
  }

  void repair() {
    inbox.onlyDown(Set.of());
  }

  String receiver(String name) {
    return inbox.url(name);
  }

  /** Puts a capture, pulls it, renames who speaks in it, and waits until it is delivered. */
  UUID passThrough(Tenant tenant) {
    UUID id = UUID.randomUUID();
    UUID member = UUID.randomUUID();
    roles.call("PUT", "/captures/" + id, capture(tenant, member, "Ada"));
    await().until(() -> get(tenant, "/api/v1/captures/" + id).contains("Ada"));
    roles.call(
        "PUT",
        "/members/" + member,
        new JsonObject().put("workspace_id", tenant.workspace().toString()).put("name", "Grace"));
    assertThat(get(tenant, "/api/v1/captures/" + id)).contains("Grace");
    roles.call("PUT", "/captures/" + id, capture(tenant, member, "Grace").put("title", "fixed"));
    assertThat(get(tenant, "/api/v1/captures/" + id)).contains("fixed");
    assertThat(get(tenant, "/api/v1/captures?limit=100")).contains("pageInfo");
    await().until(() -> isDelivered("live", id));
    return id;
  }

  /** Puts a capture until it is accepted, as the pipeline does. */
  void put(Tenant tenant, UUID id) {
    JsonObject body = capture(tenant, UUID.randomUUID(), "Ada");
    await()
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
    await().until(() -> roles.metricsOfApi().contains("egress_pull_held 1.0"));
    return next;
  }

  /** The verification of the endpoint called {@code live}. */
  JsonObject verify(Tenant tenant) {
    return roles.verification(tenant.workspace());
  }

  /** Requests a rebuild, and waits until all that is due was published. */
  void rebuildQueue() {
    roles.call("POST", "/queue/rebuild", new JsonObject());
    await()
        .until(() ->
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
    String cookie = roles.openPage(link);
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
    return inbox.captures(endpoint).contains(capture.toString());
  }

  @Override
  public void close() {
    roles.close();
    done(vertx.close());
  }

  private static JsonObject capture(Tenant tenant, UUID member, String name) {
    JsonObject person = new JsonObject().put("id", member.toString()).put("name", name);
    JsonObject participant =
        new JsonObject().put("label", "S1").put("member", person).put("speech_ms", 900);
    JsonObject capture = BothRoles.capture(tenant.workspace());
    capture.getJsonArray("segments").getJsonObject(0).put("speaker", "S1");
    return capture.put("participants", new JsonArray().add(participant));
  }

  private String get(Tenant tenant, String path) {
    return roles.pull(path, tenant.key()).body();
  }
}
