package io.egress.api.admin.endpoints;

import io.egress.platform.audit.Act;
import io.egress.platform.audit.AuditLog;
import io.egress.platform.audit.Caller;
import io.egress.webhook.endpoint.Endpoint;
import io.egress.webhook.endpoint.EndpointChange.HeaderChange;
import io.egress.webhook.endpoint.EndpointLimits;
import io.vertx.core.Future;
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

  Future<Void> created(Endpoint endpoint) {
    JsonObject changes =
        new JsonObject()
            .put("url", shown(endpoint.url()))
            .put("description", endpoint.description())
            .put("full_history", endpoint.fullHistory());
    if (!endpoint.headerNames().isEmpty()) {
      changes.put("headers", new JsonArray(endpoint.headerNames()));
    }
    if (!endpoint.limits().equals(EndpointLimits.NONE)) {
      changes
          .put("max_per_second", endpoint.limits().maxPerSecond())
          .put("max_in_flight", endpoint.limits().maxInFlight());
    }
    if (endpoint.clientCertificate() != null) {
      changes.put("client_certificate", EndpointView.certificate(endpoint.clientCertificate()));
    }
    if (endpoint.standardWebhooks()) {
      changes.put("standard_webhooks", true);
    }
    if (endpoint.erasures()) {
      changes.put("events", EndpointView.events(true));
    }
    return write("endpoint.created", endpoint.id(), changes);
  }

  /** Pausing and resuming are separate actions, so that readers can search for them. */
  Future<Void> changed(Endpoint before, Endpoint after, @Nullable HeaderChange headers) {
    JsonObject changes = changes(before, after, headers);
    boolean switched = before.paused() != after.paused();
    Future<Void> paused =
        switched
            ? write(
                after.paused() ? "endpoint.paused" : "endpoint.resumed",
                after.id(),
                new JsonObject())
            : Future.succeededFuture();
    return switched && changes.isEmpty()
        ? paused
        : paused.compose(_ -> write("endpoint.changed", after.id(), changes));
  }

  Future<Void> deleted(Endpoint endpoint) {
    return write(
        "endpoint.deleted", endpoint.id(), new JsonObject().put("url", shown(endpoint.url())));
  }

  Future<Void> rotated(UUID id, String overlap) {
    return write("secret.rotated", id, new JsonObject().put("overlap", overlap));
  }

  Future<Void> endedOverlap(UUID id) {
    return write("secret_overlap.ended", id, new JsonObject());
  }

  Future<Void> tested(UUID id) {
    return write("endpoint.tested", id, new JsonObject());
  }

  private Future<Void> write(String action, UUID id, JsonObject changes) {
    return AuditLog.write(transaction, workspaceId, caller, new Act(action, KIND, id, changes));
  }

  private static JsonObject changes(
      Endpoint before, Endpoint after, @Nullable HeaderChange headers) {
    JsonObject changes = new JsonObject();
    if (!before.url().equals(after.url())) {
      changes.put("url", change(shown(before.url()), shown(after.url())));
    }
    plain(changes, "description", before.description(), after.description());
    if (headers != null) {
      changes.put("headers", headers(before, after, headers));
    }
    plain(changes, "max_per_second", before.limits().maxPerSecond(), after.limits().maxPerSecond());
    plain(changes, "max_in_flight", before.limits().maxInFlight(), after.limits().maxInFlight());
    plain(
        changes,
        "client_certificate",
        EndpointView.certificate(before.clientCertificate()),
        EndpointView.certificate(after.clientCertificate()));
    plain(changes, "standard_webhooks", before.standardWebhooks(), after.standardWebhooks());
    plain(
        changes,
        "events",
        EndpointView.events(before.erasures()),
        EndpointView.events(after.erasures()));
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
        before.headerNames().stream().filter(name -> !after.headerNames().contains(name)).toList();
    return new JsonObject().put("set", new JsonArray(set)).put("removed", new JsonArray(removed));
  }

  private static void plain(
      JsonObject changes, String name, @Nullable Object before, @Nullable Object after) {
    if (!Objects.equals(before, after)) {
      changes.put(name, change(before, after));
    }
  }

  private static JsonObject change(@Nullable Object from, @Nullable Object to) {
    return new JsonObject().put("from", from).put("to", to);
  }

  /** Drops the query, which may contain a receiver's token. */
  private static String shown(String url) {
    int query = url.indexOf('?');
    return query < 0 ? url : url.substring(0, query) + "?(withheld)";
  }
}
