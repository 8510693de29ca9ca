package io.egress.api.admin.workspaces;

import io.egress.platform.audit.Act;
import io.egress.platform.audit.AuditLog;
import io.egress.platform.audit.Caller;
import io.egress.platform.database.Rows;
import io.egress.platform.database.Transactions;
import io.egress.webhook.endpoint.EndpointStore;
import io.vertx.core.json.JsonObject;
import io.vertx.sqlclient.Pool;
import io.vertx.sqlclient.SqlConnection;
import java.util.List;
import java.util.UUID;

/**
 * Ends workspaces: from the commit on, nothing can be read from them, sent for them or added to
 * them. What they contain is then erased in the background.
 */
final class WorkspaceEnd {
  private static final String DELETE_KEYS = "delete from api_keys where workspace_id = $1";

  /** What is stored there may contain secrets. */
  private static final String FORGET_ANSWERS =
      "delete from idempotency_keys where workspace_id = $1";

  private static final String CLOSE_LINKS = "delete from portal_links where workspace_id = $1";
  private static final String CLOSE_SESSIONS =
      "delete from portal_sessions where workspace_id = $1";

  private static final String DROP_NOTICES = "delete from operator_notices where workspace_id = $1";

  private final Transactions transactions;

  WorkspaceEnd(Pool pool) {
    this.transactions = new Transactions(pool);
  }

  /** Does nothing if it has ended before. */
  void end(Caller caller, UUID workspaceId) {
    transactions.call(tx -> {
      if (Workspaces.end(tx, workspaceId)) {
        clear(tx, caller, workspaceId);
      }
      return workspaceId;
    });
  }

  private static void clear(SqlConnection tx, Caller caller, UUID workspaceId) {
    int keys = Rows.of(tx, DELETE_KEYS, workspaceId).rowCount();
    int endpoints = EndpointStore.deleteAll(tx, workspaceId).await();
    AuditLog.record(
        tx,
        workspaceId,
        caller,
        new Act(
            "workspace.ended",
            "workspace",
            workspaceId,
            new JsonObject().put("api_keys", keys).put("endpoints", endpoints)));
    for (String clearing : List.of(FORGET_ANSWERS, CLOSE_LINKS, CLOSE_SESSIONS, DROP_NOTICES)) {
      Rows.of(tx, clearing, workspaceId);
    }
  }
}
