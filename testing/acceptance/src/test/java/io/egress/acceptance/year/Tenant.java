package io.egress.acceptance.year;

import io.egress.acceptance.BothRoles;
import io.egress.acceptance.year.Arrivals.Manner;
import io.vertx.core.json.JsonArray;
import io.vertx.core.json.JsonObject;
import java.net.http.HttpResponse;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.Collection;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.UUID;
import org.jspecify.annotations.Nullable;

/** A workspace: what was put into it, what its reader has read, its keys and endpoints. */
final class Tenant {
  /** What every title begins with, so that it is found wherever it was left. */
  static final String TITLE = "title-of-";

  private static final Duration CLOSE = Duration.ofSeconds(2);
  private static final int ERASED = 410;

  /** A capture as its last call left it. */
  static final class Captured {
    final UUID id = UUID.randomUUID();
    final Instant putAt;
    private int version = 1;
    private boolean erased;

    private Captured(Instant putAt) {
      this.putAt = putAt;
    }

    String title() {
      return TITLE + id + "-" + version;
    }

    boolean isErased() {
      return erased;
    }
  }

  /** An endpoint, and when it was paused. */
  static final class Endpoint {
    final UUID id;
    final String name;
    final Manner manner;
    private final List<Instant> paused = new ArrayList<>();
    private boolean isPaused;

    private Endpoint(UUID id, String name, Manner manner) {
      this.id = id;
      this.name = name;
      this.manner = manner;
    }

    boolean isPaused() {
      return isPaused;
    }

    /** When pauses began and ended. */
    List<Instant> pauses() {
      return List.copyOf(paused);
    }
  }

  private record Key(String id, String secret, @Nullable Instant expiresAt) {}

  final UUID workspace = UUID.randomUUID();
  final String name;
  final @Nullable Duration retention;
  private final MovedFleet fleet;
  private final Arrivals arrivals;
  private final Violations violations;
  private final Map<UUID, Captured> captures = new LinkedHashMap<>();
  private final List<UUID> reading = new ArrayList<>();
  private final List<Endpoint> endpoints = new ArrayList<>();
  private final List<Key> expiring = new ArrayList<>();
  private Key key;
  private @Nullable String cursor;
  private int acts;

  /** Without a {@code retention} captures are kept for good. */
  Tenant(
      String name,
      @Nullable Duration retention,
      MovedFleet fleet,
      Arrivals arrivals,
      Violations violations) {
    this.name = name;
    this.retention = retention;
    this.fleet = fleet;
    this.arrivals = arrivals;
    this.violations = violations;
    this.key = mint(new JsonObject().put("name", name));
    if (retention != null) {
      change(new JsonObject().put("retention", retention.toHours() + "h"));
    }
  }

  Collection<Captured> captures() {
    return captures.values();
  }

  List<UUID> reading() {
    return reading;
  }

  List<Endpoint> endpoints() {
    return endpoints;
  }

  /** Calls that change something besides captures. */
  int acts() {
    return acts;
  }

  void put() {
    Captured captured = new Captured(fleet.clock().instant());
    write(captured);
    captures.put(captured.id, captured);
  }

  /** Erases one that says something, and changes the title of another. */
  void changeSome(Random random) {
    List<Captured> live =
        captures.values().stream().filter(each -> !each.erased && !isExpiring(each)).toList();
    if (live.size() < 2) {
      return;
    }
    Captured erased = live.get(random.nextInt(live.size()));
    if (random.nextBoolean() && !isOnHold()) {
      call("DELETE", "/captures/" + erased.id, new JsonObject().put("reason", "requested"));
      erased.erased = true;
    }
    Captured corrected = live.get(random.nextInt(live.size()));
    if (!corrected.erased) {
      corrected.version++;
      write(corrected);
    }
  }

  private void write(Captured captured) {
    JsonObject body = BothRoles.capture(workspace).put("title", captured.title());
    body.getJsonArray("segments").getJsonObject(0).put("text", captured.title());
    fleet.call("PUT", "/captures/" + captured.id, body);
  }

  /** Whether retention may erase it at any moment. */
  boolean isExpiring(Captured captured) {
    return retention != null
        && !fleet.clock().instant().isBefore(captured.putAt.plus(retention).minus(CLOSE));
  }

  /** Reads the stream from where it was read before to its end. */
  void read() {
    boolean more = true;
    while (more) {
      HttpResponse<String> answer = pull(cursor == null ? "" : "&after=" + cursor);
      if (answer.statusCode() != 200) {
        violations.add("%s cannot read on: %s", name, answer.body());
        return;
      }
      JsonObject page = new JsonObject(answer.body());
      page.getJsonArray("captures").forEach(each -> take((JsonObject) each));
      String end = page.getJsonObject("pageInfo").getString("endCursor");
      cursor = end == null ? cursor : end;
      more = page.getJsonObject("pageInfo").getBoolean("hasNextPage");
    }
  }

  private HttpResponse<String> pull(String after) {
    return fleet.roles().pull("/api/v1/captures?limit=20" + after, key.secret());
  }

  private void take(JsonObject document) {
    UUID id = UUID.fromString(document.getString("id"));
    Captured captured = captures.get(id);
    violations.unless(
        captured != null
            && !captured.erased
            && document.getString("title").equals(captured.title()),
        "%s reads %s of %s, which is %s",
        name,
        document.getString("title"),
        id,
        captured == null ? "nothing" : captured.title());
    reading.add(id);
  }

  /** Each capture is as it was last put, or gone. */
  void checkDocuments() {
    for (Captured captured : captures.values()) {
      HttpResponse<String> answer =
          fleet.roles().pull("/api/v1/captures/" + captured.id, key.secret());
      boolean gone = captured.erased || isExpiring(captured);
      violations.unless(
          gone ? answer.statusCode() == ERASED : answer.body().contains(captured.title() + "\""),
          "%s is %s: %s",
          captured.title(),
          gone ? "to be erased" : "readable",
          answer.body());
    }
  }

  Endpoint addEndpoint(Manner manner, boolean fullHistory) {
    String receiver =
        name + "-" + manner.name().toLowerCase(java.util.Locale.ROOT) + endpoints.size();
    JsonObject spec =
        new JsonObject()
            .put("url", arrivals.open(receiver, manner))
            .put("full_history", fullHistory)
            .put(
                "events",
                new JsonArray()
                    .add("capture.processed")
                    .add("capture.updated")
                    .add("capture.erased"));
    JsonObject created = call("POST", path("/endpoints"), spec);
    arrivals.expect(receiver, created.getString("secret"));
    Endpoint endpoint = new Endpoint(UUID.fromString(created.getString("id")), receiver, manner);
    endpoints.add(endpoint);
    return endpoint;
  }

  void rotateSecret(Endpoint endpoint) {
    JsonObject rotated =
        call(
            "POST",
            path("/endpoints/" + endpoint.id + "/rotate-secret"),
            new JsonObject().put("overlap", "24h"));
    arrivals.expect(endpoint.name, rotated.getString("secret"));
  }

  void replay(Endpoint endpoint) {
    call(
        "POST",
        path("/endpoints/" + endpoint.id + "/replays"),
        new JsonObject().put("from_position", 1).put("only", "undelivered"));
  }

  void pause(Endpoint endpoint, boolean paused) {
    call("PATCH", path("/endpoints/" + endpoint.id), new JsonObject().put("paused", paused));
    endpoint.isPaused = paused;
    endpoint.paused.add(fleet.clock().instant());
  }

  void hold(boolean hold) {
    change(new JsonObject().put("legal_hold", hold));
  }

  boolean isOnHold() {
    return fleet
        .query("select legal_hold from workspaces where id = '%s'".formatted(workspace))
        .equals("t");
  }

  void end() {
    call("DELETE", path(""), new JsonObject());
  }

  /** The reader goes on with another key. */
  void rotateKey() {
    Key before = key;
    key = mint(new JsonObject().put("name", name));
    call("DELETE", path("/api-keys/" + before.id()), new JsonObject());
    int status = fleet.roles().pull("/api/v1/captures", before.secret()).statusCode();
    violations.unless(status == 401, "a deleted key of %s is answered %d", name, status);
  }

  void mintExpiring(Duration lifetime) {
    expiring.add(
        mint(new JsonObject().put("name", "brief").put("expires_in", lifetime.toHours() + "h")));
  }

  /** A key is accepted until it expires, and not after that. */
  void checkKeys() {
    for (Key each : expiring) {
      Duration left = Duration.between(fleet.clock().instant(), each.expiresAt());
      if (left.abs().compareTo(CLOSE) > 0) {
        int status = fleet.roles().pull("/api/v1/captures?limit=1", each.secret()).statusCode();
        violations.unless(
            status == (left.isNegative() ? 401 : 200),
            "a key of %s that expires in %s is answered %d",
            name,
            left,
            status);
      }
    }
  }

  private Key mint(JsonObject spec) {
    JsonObject minted = call("POST", path("/api-keys"), spec);
    String expiresAt = minted.getString("expires_at");
    return new Key(
        minted.getString("id"),
        minted.getString("key"),
        expiresAt == null ? null : Instant.parse(expiresAt));
  }

  private void change(JsonObject change) {
    call("PATCH", path(""), change);
  }

  private String path(String below) {
    return "/workspaces/" + workspace + below;
  }

  private JsonObject call(String method, String path, JsonObject body) {
    acts++;
    return fleet.call(method, path, body);
  }
}
