package io.egress.api;

import static org.awaitility.Awaitility.await;

import io.vertx.core.json.JsonArray;
import io.vertx.core.json.JsonObject;
import java.net.http.HttpResponse;
import java.util.List;
import java.util.UUID;

/** Makes every call of the internal listener at least once with success, and some without. */
final class EveryCall {
  /** Makes one call and returns its answer. */
  interface Caller {
    HttpResponse<String> call(String method, String path, String body);

    default HttpResponse<String> get(String path) {
      return call("GET", path, "");
    }

    default HttpResponse<String> post(String path, JsonObject body) {
      return call("POST", path, body.encode());
    }
  }

  private static final String INTERNAL = "/internal/v1";

  private final UUID workspaceId = UUID.randomUUID();
  private final String workspace = INTERNAL + "/workspaces/" + workspaceId;
  private final Caller caller;

  EveryCall(Caller caller) {
    this.caller = caller;
  }

  void make() {
    String endpoint = administerEndpoints();
    administerKeys();
    ingest();
    repeatDeliveries(endpoint);
    lookAround();
    erase();
    for (String path :
        List.of("/audit?limit=1", "/secret-keys", "/queue", "/database", "/openapi.json")) {
      caller.get(INTERNAL + path);
    }
    caller.get(workspace + "/audit");
    for (String path : List.of("/health/live", "/health/ready", "/metrics")) {
      caller.get(path);
    }
    caller.call("POST", INTERNAL + "/secret-keys/reseal", "");
    caller.call("POST", INTERNAL + "/queue/rebuild", "");
    caller.call("PATCH", endpoint, "{}");
    caller.call("DELETE", endpoint, "");
    end();
  }

  /** Nothing can be added to the workspace afterwards. */
  private void end() {
    caller.call("DELETE", workspace, "");
    caller.call("DELETE", workspace, "");
    caller.get(workspace);
    caller.call("PATCH", workspace, "{\"retention\":\"400d\"}");
    caller.post(workspace + "/api-keys", new JsonObject().put("name", "late"));
    caller.post(
        workspace + "/endpoints", new JsonObject().put("url", "https://receiver.invalid/late"));
    caller.post(workspace + "/portal-links", new JsonObject().put("role", "view"));
    for (String thing : List.of("/members/", "/devices/")) {
      JsonObject named =
          new JsonObject().put("workspace_id", workspaceId.toString()).put("name", "Ada");
      caller.call("PUT", INTERNAL + thing + UUID.randomUUID(), named.encode());
    }
    String capture = INTERNAL + "/captures/" + UUID.randomUUID();
    caller.call("PUT", capture, Service.capture(workspaceId).encode());
    String nobody = INTERNAL + "/workspaces/" + UUID.randomUUID();
    caller.get(nobody);
    caller.call("DELETE", nobody, "");
  }

  /** Returns the path of the endpoint. */
  private String administerEndpoints() {
    String endpoints = workspace + "/endpoints";
    JsonObject body = new JsonObject().put("url", "https://receiver.invalid/webhooks");
    String endpoint = endpoints + "/" + id(caller.post(endpoints, body));
    caller.get(endpoints);
    caller.get(endpoint);
    for (String change :
        List.of("{\"description\":\"search\"}", "{\"paused\":true}", "{\"paused\":false}")) {
      caller.call("PATCH", endpoint, change);
    }
    caller.call("POST", endpoint + "/test", "");
    caller.call("POST", endpoint + "/rotate-secret", "");
    caller.call("DELETE", endpoint + "/previous-secret", "");
    return endpoint;
  }

  private void administerKeys() {
    String keys = workspace + "/api-keys";
    String key = id(caller.post(keys, new JsonObject().put("name", "search")));
    caller.post(keys, new JsonObject());
    caller.get(keys);
    caller.call("PATCH", keys + "/" + key, "{\"expires_in\":\"7d\"}");
    caller.call("PATCH", keys + "/" + key, "{\"expires_in\":\"8d\"}");
    caller.call("PATCH", keys + "/" + key, "{}");
    caller.call("DELETE", keys + "/" + key, "");
    caller.call("PATCH", keys + "/" + key, "{\"expires_in\":\"7d\"}");
    caller.post(workspace + "/portal-links", new JsonObject().put("role", "view"));
    JsonObject ofOperator = new JsonObject().put("role", "operator");
    caller.post(INTERNAL + "/portal-links", ofOperator);
    caller.post(INTERNAL + "/portal-links", ofOperator.put("actor", "grace"));
  }

  private void ingest() {
    JsonObject capture =
        Service.capture(workspaceId)
            .put(
                "participants",
                new JsonArray()
                    .add(new JsonObject().put("label", "S1").put("speech_ms", 10))
                    .add(new JsonObject().put("label", "S2").put("speech_ms", 10)));
    String path = INTERNAL + "/captures/" + UUID.randomUUID();
    caller.call("PUT", path, capture.encode());
    caller.call("PUT", path, capture.encode());
    caller.call("PATCH", path + "/participants/S2", "{\"member\":null}");
    for (String thing : List.of("/members/", "/devices/")) {
      JsonObject named =
          new JsonObject().put("workspace_id", workspaceId.toString()).put("name", "Ada");
      caller.call("PUT", INTERNAL + thing + UUID.randomUUID(), named.encode());
    }
    caller.post(INTERNAL + "/captures", capture.put("id", UUID.randomUUID().toString()));
  }

  private void lookAround() {
    caller.get(INTERNAL + "/workspaces");
    caller.get(INTERNAL + "/workspaces?only=failing");
    caller.get(workspace);
    caller.call("PATCH", workspace, "{\"retention\":\"400d\"}");
    caller.call("PATCH", workspace, "{}");
  }

  private void erase() {
    String capture = INTERNAL + "/captures/" + UUID.randomUUID();
    caller.call("PUT", capture, Service.capture(workspaceId).encode());
    caller.get(capture);
    caller.call("DELETE", capture, "{}");
    caller.call("DELETE", capture, "{\"reason\":\"requested\"}");
    caller.call("DELETE", capture, "{\"reason\":\"requested again\"}");
    caller.call("PUT", capture, Service.capture(workspaceId).encode());
    caller.get(capture);
    String member = UUID.randomUUID().toString();
    caller.call(
        "PUT",
        INTERNAL + "/members/" + member,
        new JsonObject().put("workspace_id", workspaceId.toString()).put("name", "Grace").encode());
    caller.call("DELETE", workspace + "/members/" + member, "");
    caller.call("DELETE", workspace + "/members/" + member, "");
  }

  private void repeatDeliveries(String endpoint) {
    String deliveries = workspace + "/deliveries";
    await().until(() -> caller.get(deliveries).body().contains("\"pending\""));
    caller.get(endpoint + "/deliveries");
    caller.get(endpoint + "/verification");
    String delivery =
        deliveries
            + "/"
            + new JsonObject(caller.get(deliveries).body())
                .getJsonArray("deliveries")
                .getJsonObject(0)
                .getString("id");
    caller.get(delivery);
    caller.call("POST", delivery + "/redeliver", "");
    String replays = endpoint + "/replays";
    String replay = id(caller.post(replays, new JsonObject().put("from_position", 1)));
    caller.get(replays);
    caller.get(workspace + "/replays/" + replay);
    caller.call("DELETE", workspace + "/replays/" + replay, "");
  }

  private static String id(HttpResponse<String> answer) {
    return new JsonObject(answer.body()).getString("id");
  }
}
