package io.egress.api.endpoints;

import io.egress.audit.Act;
import io.egress.audit.AuditLog;
import io.egress.audit.Caller;
import io.egress.endpoint.Endpoint;
import io.vertx.core.Future;
import io.vertx.core.json.JsonObject;
import io.vertx.sqlclient.SqlClient;
import java.util.Objects;
import java.util.UUID;
import org.jspecify.annotations.Nullable;

/** What the audit log says of acts on endpoints. */
record EndpointAudit(SqlClient transaction, Caller caller, UUID workspaceId) {
  private static final String KIND = "endpoint";

  Future<Void> created(Endpoint endpoint) {
    return write(
        "endpoint.created",
        endpoint.id(),
        new JsonObject()
            .put("url", shown(endpoint.url()))
            .put("description", endpoint.description())
            .put("full_history", endpoint.fullHistory()));
  }

  /** Pausing and resuming are acts of their own, which a reader looks for by name. */
  Future<Void> changed(Endpoint before, Endpoint after) {
    JsonObject changes = changes(before, after);
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
        : paused.compose(written -> write("endpoint.changed", after.id(), changes));
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

  private static JsonObject changes(Endpoint before, Endpoint after) {
    JsonObject changes = new JsonObject();
    if (!before.url().equals(after.url())) {
      changes.put("url", change(shown(before.url()), shown(after.url())));
    }
    if (!Objects.equals(before.description(), after.description())) {
      changes.put("description", change(before.description(), after.description()));
    }
    return changes;
  }

  private static JsonObject change(@Nullable Object from, @Nullable Object to) {
    return new JsonObject().put("from", from).put("to", to);
  }

  /** The query of a URL may hold a token of the receiver's. */
  private static String shown(String url) {
    int query = url.indexOf('?');
    return query < 0 ? url : url.substring(0, query) + "?(withheld)";
  }
}
