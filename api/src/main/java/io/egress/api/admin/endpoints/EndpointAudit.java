package io.egress.api.admin.endpoints;

import io.egress.platform.audit.Act;
import io.egress.platform.audit.AuditLog;
import io.egress.platform.audit.Caller;
import io.egress.platform.json.Json;
import io.egress.transcript.stream.Feed;
import io.egress.webhook.endpoint.Endpoint;
import io.egress.webhook.endpoint.EndpointChange;
import io.egress.webhook.endpoint.EndpointChange.HeaderChange;
import io.egress.webhook.endpoint.EndpointSpec;
import io.egress.webhook.endpoint.OAuth2Client;
import io.egress.webhook.endpoint.Paging;
import io.vertx.core.json.JsonArray;
import io.vertx.core.json.JsonObject;
import io.vertx.sqlclient.SqlClient;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.UUID;
import org.jspecify.annotations.Nullable;

/** Writes audit entries for changes of endpoints. */
record EndpointAudit(SqlClient transaction, Caller caller, UUID workspaceId) {
  private static final String KIND = "endpoint";
  private static final String URL = "url";
  private static final String PUBLIC_KEY = "public_key";

  /**
   * What has a value of its own; the other fields are as in every endpoint. {@code original} is
   * what it is a clone of; null if it is none.
   */
  void created(Endpoint endpoint, @Nullable UUID original) {
    JsonObject usual = said(EndpointSpec.of(""));
    JsonObject spec = said(endpoint.spec());
    JsonObject changes = new JsonObject();
    for (String name : spec.fieldNames()) {
      Object value = spec.getValue(name);
      if (name.equals("description") || !Objects.equals(value, usual.getValue(name))) {
        changes.put(name, value);
      }
    }
    if (original != null) {
      changes.put("clone_of", original.toString());
    }
    changes.put("full_history", endpoint.fullHistory());
    Paging paging = endpoint.paging();
    if (paging.isStream()) {
      changes
          .put("delivery", paging.delivery().word())
          .put("batch", paging.batch())
          .put("max_body", paging.maxBody());
    }
    if (publicKey(endpoint) != null) {
      changes.put(PUBLIC_KEY, publicKey(endpoint));
    }
    if (endpoint.paused()) {
      changes.put("paused", true);
    }
    if (!endpoint.headers().isEmpty()) {
      changes.put("headers", new JsonArray(endpoint.headers()));
    }
    if (endpoint.clientCertificate() != null) {
      changes.put("client_certificate", Json.object(endpoint.clientCertificate()));
    }
    if (endpoint.oauth2() != null) {
      changes.put("oauth2", said(endpoint.oauth2()));
    }
    write("endpoint.created", endpoint.id(), changes);
  }

  /** Pausing and resuming are separate actions, so that readers can search for them. */
  void changed(Endpoint before, Endpoint after, EndpointChange change) {
    JsonObject changes = changes(before, after, change);
    boolean switched = before.paused() != after.paused();
    if (switched) {
      write(after.paused() ? "endpoint.paused" : "endpoint.resumed", after.id(), new JsonObject());
    }
    if (!switched || !changes.isEmpty()) {
      write("endpoint.changed", after.id(), changes);
    }
  }

  void deleted(Endpoint endpoint) {
    write("endpoint.deleted", endpoint.id(), new JsonObject().put(URL, shown(endpoint.url())));
  }

  void rotated(Endpoint endpoint, String overlap) {
    JsonObject changes = new JsonObject().put("overlap", overlap);
    if (publicKey(endpoint) != null) {
      changes.put(PUBLIC_KEY, publicKey(endpoint));
    }
    write("secret.rotated", endpoint.id(), changes);
  }

  void skipped(UUID id, UUID captureId, long position, @Nullable String reason) {
    JsonObject changes =
        new JsonObject()
            .put("capture_id", captureId.toString())
            .put("position", position)
            .put("reason", reason);
    write("endpoint.skipped", id, changes);
  }

  void moved(UUID id, Feed feed, long before, long after) {
    String what =
        switch (feed) {
          case CAPTURES -> "position";
          case CHANGES -> "changes_position";
        };
    write("endpoint.moved", id, new JsonObject().put(what, change(before, after)));
  }

  void endedOverlap(UUID id) {
    write("secret_overlap.ended", id, new JsonObject());
  }

  void tested(UUID id) {
    write("endpoint.tested", id, new JsonObject());
  }

  private void write(String action, UUID id, JsonObject changes) {
    AuditLog.record(transaction, workspaceId, caller, new Act(action, KIND, id, changes));
  }

  private static JsonObject changes(Endpoint before, Endpoint after, EndpointChange change) {
    JsonObject changes = new JsonObject();
    JsonObject old = said(before.spec());
    JsonObject now = said(after.spec());
    for (String name : now.fieldNames()) {
      boolean isSame =
          name.equals(URL)
              ? before.url().equals(after.url())
              : Objects.equals(old.getValue(name), now.getValue(name));
      if (!isSame) {
        changes.put(name, change(old.getValue(name), now.getValue(name)));
      }
    }
    if (change.headers() != null) {
      changes.put("headers", headers(before, after, change.headers()));
    }
    if (!Objects.equals(publicKey(before), publicKey(after))) {
      changes.put(PUBLIC_KEY, change(publicKey(before), publicKey(after)));
    }
    if (!Objects.equals(before.clientCertificate(), after.clientCertificate())) {
      changes.put(
          "client_certificate",
          change(json(before.clientCertificate()), json(after.clientCertificate())));
    }
    if (change.oauth2() != null) {
      changes.put("oauth2", change(said(before.oauth2()), said(after.oauth2())));
    }
    return changes;
  }

  /** The names of headers, without their values. */
  private static JsonObject headers(Endpoint before, Endpoint after, HeaderChange change) {
    List<String> set =
        change.values().entrySet().stream()
            .filter(header -> header.getValue().isPresent())
            .map(Map.Entry::getKey)
            .sorted()
            .toList();
    List<String> removed =
        before.headers().stream().filter(name -> !after.headers().contains(name)).toList();
    return new JsonObject().put("set", new JsonArray(set)).put("removed", new JsonArray(removed));
  }

  /** The one that signs; null if none does. */
  private static @Nullable String publicKey(Endpoint endpoint) {
    return endpoint.publicKeys().isEmpty() ? null : endpoint.publicKeys().getFirst().publicKey();
  }

  private static @Nullable JsonObject json(@Nullable Object value) {
    return value == null ? null : Json.object(value);
  }

  private static JsonObject change(@Nullable Object from, @Nullable Object to) {
    return new JsonObject().put("from", from).put("to", to);
  }

  private static @Nullable JsonObject said(OAuth2Client.@Nullable Shown client) {
    return client == null ? null : Json.object(client).put("token_url", shown(client.tokenUrl()));
  }

  private static JsonObject said(EndpointSpec spec) {
    return Json.object(spec).put(URL, shown(spec.url()));
  }

  /** Drops the query, which may contain a receiver's token. */
  private static String shown(String url) {
    int query = url.indexOf('?');
    return query < 0 ? url : url.substring(0, query) + "?(withheld)";
  }
}
