package io.egress.api.admin.audit;

import io.vertx.core.json.JsonObject;
import java.time.Instant;
import java.util.UUID;
import org.jspecify.annotations.Nullable;

/** An entry of the audit log. */
public record AuditEntry(
    long id,
    Instant at,
    @Nullable UUID workspaceId,
    String action,
    String kind,
    @Nullable UUID thingId,
    @Nullable String actor,
    String via,
    @Nullable String remoteAddress,
    @Nullable String requestId,
    JsonObject changes) {
  AuditCursor cursor() {
    return new AuditCursor(at, id);
  }
}
