package io.egress.api;

import static org.awaitility.Awaitility.await;

import io.egress.api.portal.Browser;
import io.egress.platform.http.Routes;
import io.vertx.core.http.HttpMethod;
import io.vertx.core.json.JsonArray;
import io.vertx.core.json.JsonObject;
import java.net.http.HttpResponse;
import java.util.HashMap;
import java.util.Map;
import java.util.UUID;

/** A workspace with one thing of each kind that pages show, and valid requests to every page. */
final class PortalThings {
  static final String SECRET_TITLE = "What only they may read";

  private static final Map<String, String> FIELDS =
      Map.of(
          "name", "new",
          "url", "https://example.com/changed",
          "description", "changed",
          "overlap", "1h",
          "what", "undelivered",
          "reason", "requested");

  private final Map<String, String> ids = new HashMap<>();

  PortalThings(Service service, UUID workspace) {
    String path = "/internal/v1/workspaces/" + workspace;
    service.mintKey(workspace);
    ids.put(
        "keys",
        new JsonObject(service.internal("GET", path + "/api-keys", "").body())
            .getJsonArray("api_keys")
            .getJsonObject(0)
            .getString("id"));
    String endpoint =
        new JsonObject(
                service
                    .internal("POST", path + "/endpoints", "{\"url\":\"https://example.com/x\"}")
                    .body())
            .getString("id");
    ids.put("endpoints", endpoint);
    service.internal(
        "POST",
        path + "/endpoints",
        "{\"url\":\"https://example.com/pages\",\"delivery\":\"stream\"}");
    UUID capture = UUID.randomUUID();
    service.put(capture, Service.capture(workspace).put("title", SECRET_TITLE));
    await().until(() -> !deliveries(service, path).isEmpty());
    ids.put("captures", capture.toString());
    ids.put("deliveries", deliveries(service, path).getJsonObject(0).getString("id"));
    ids.put(
        "replays",
        new JsonObject(
                service
                    .internal(
                        "POST",
                        path + "/endpoints/" + endpoint + "/replays",
                        "{\"from_position\":1}")
                    .body())
            .getString("id"));
  }

  private static JsonArray deliveries(Service service, String path) {
    return new JsonObject(service.internal("GET", path + "/deliveries", "").body())
        .getJsonArray("deliveries");
  }

  /** The path of a page, with the things in it if it is of one. */
  String path(Routes.Call call, UUID workspace) {
    String path = call.path();
    String kind = path.replaceFirst("^/portal.*/:workspace(/live)?/?", "").replaceFirst("/.*", "");
    return path.replace(":workspace", workspace.toString())
        .replace(":id", ids.getOrDefault(kind, ""));
  }

  /** A form has all fields that it needs, besides {@code fields}. */
  HttpResponse<String> send(
      Browser browser, Routes.Call call, UUID workspace, Map<String, String> fields) {
    return call.method().equals(HttpMethod.GET)
        ? browser.get(path(call, workspace))
        : browser.post(path(call, workspace), with(fields));
  }

  static Map<String, String> with(Map<String, String> fields) {
    Map<String, String> all = new HashMap<>(FIELDS);
    all.putAll(fields);
    return all;
  }

  /** Every change in any workspace leaves an entry. */
  static String audit(Service service) {
    return service
        .query("select count(*)::text as n, (select count(*)::text from backfills) as r from audit")
        .iterator()
        .next()
        .toJson()
        .encode();
  }

  /** There was no attempt, so there is no body to download. */
  static boolean isOfAnAttempt(Routes.Call call) {
    return call.path().endsWith("/body") || call.path().endsWith("/sent");
  }
}
