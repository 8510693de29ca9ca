package io.egress.api.admin.erasures;

import io.egress.platform.database.Rows;
import io.vertx.sqlclient.Row;
import java.time.Instant;
import java.util.UUID;
import org.jspecify.annotations.Nullable;

/**
 * An erased capture.
 *
 * @param id the capture's
 * @param erasedBy the actor of the call, if it named one
 */
public record Erasure(
    UUID id, UUID workspaceId, Instant erasedAt, @Nullable String erasedBy, String reason) {
  static Erasure of(Row row) {
    return new Erasure(
        row.getUUID("capture_id"),
        row.getUUID("workspace_id"),
        Rows.instant(row, "erased_at"),
        row.getString("erased_by"),
        row.getString("reason"));
  }
}
