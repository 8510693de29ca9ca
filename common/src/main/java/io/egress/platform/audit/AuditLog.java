package io.egress.platform.audit;

import io.egress.platform.database.Rows;
import io.vertx.sqlclient.SqlClient;
import java.util.UUID;
import org.jspecify.annotations.Nullable;

/**
 * Records administrative acts. Called with the act's own transaction, so that neither is committed
 * without the other.
 */
public final class AuditLog {
  private static final String WRITE =
      """
      insert into audit
        (workspace_id, action, kind, thing_id, actor, via, remote_address, request_id, changes)
      values ($1, $2, $3, $4, $5, $6, $7, $8, $9)
      """;

  private AuditLog() {}

  /** {@code workspaceId} is null for an act that belongs to no workspace. */
  public static void record(
      SqlClient transaction, @Nullable UUID workspaceId, Caller caller, Act act) {
    Rows.of(
        transaction,
        WRITE,
        workspaceId,
        act.action(),
        act.kind(),
        act.thingId(),
        caller.actor(),
        caller.via().word(),
        caller.remoteAddress(),
        caller.requestId(),
        act.changes());
  }
}
