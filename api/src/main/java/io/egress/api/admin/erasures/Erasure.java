package io.egress.api.admin.erasures;

import io.vertx.sqlclient.Row;
import java.time.Instant;
import java.util.UUID;
import org.jspecify.annotations.Nullable;

/**
 * An erased capture.
 *
 * @param number its place among the erasures of its workspace; null if the capture was never in the
 *     stream
 * @param erasedBy the actor of the call, if it named one
 */
public record Erasure(
    UUID captureId,
    UUID workspaceId,
    @Nullable Long number,
    Instant erasedAt,
    @Nullable String erasedBy,
    String reason) {
  static Erasure of(Row row) {
    return new Erasure(
        row.getUUID("capture_id"),
        row.getUUID("workspace_id"),
        row.getLong("number"),
        row.getOffsetDateTime("erased_at").toInstant(),
        row.getString("erased_by"),
        row.getString("reason"));
  }
}
