package io.egress.api.admin.workspace;

import io.egress.platform.audit.Act;
import io.egress.platform.audit.AuditLog;
import io.egress.platform.audit.Caller;
import io.egress.platform.database.Transactions;
import io.egress.platform.http.Refusal;
import io.egress.webhook.endpoint.EndpointStore;
import io.vertx.core.Future;
import io.vertx.core.json.JsonObject;
import io.vertx.sqlclient.Pool;
import io.vertx.sqlclient.Row;
import io.vertx.sqlclient.RowIterator;
import io.vertx.sqlclient.SqlConnection;
import io.vertx.sqlclient.Tuple;
import java.util.UUID;

/**
 * Ends workspaces: from the commit on, nothing can be read from them, sent for them or added to
 * them. What they contain is then erased in the background.
 */
final class WorkspaceEnd {
  /**
   * Conflicts with {@code Workspaces.requireOpen}, which the creation of keys and endpoints takes.
   */
  private static final String LOCK =
      "select legal_hold, ended_at is not null as has_ended from workspaces where id = $1 for update";

  private static final String END = "update workspaces set ended_at = now() where id = $1";
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
  Future<Void> end(Caller caller, UUID workspaceId) {
    return transactions.run(tx ->
        tx.preparedQuery(LOCK)
            .execute(Tuple.of(workspaceId))
            .compose(rows -> {
              RowIterator<Row> found = rows.iterator();
              if (!found.hasNext()) {
                throw new Refusal(404, "no such workspace");
              }
              Row workspace = found.next();
              if (workspace.getBoolean("has_ended")) {
                return Future.succeededFuture();
              }
              if (workspace.getBoolean("legal_hold")) {
                throw Workspaces.onLegalHold();
              }
              return end(tx, caller, workspaceId);
            }));
  }

  private static Future<Void> end(SqlConnection tx, Caller caller, UUID workspaceId) {
    Tuple workspace = Tuple.of(workspaceId);
    return tx.preparedQuery(END)
        .execute(workspace)
        .compose(_ -> tx.preparedQuery(DELETE_KEYS).execute(workspace))
        .compose(keys ->
            EndpointStore.deleteAll(tx, workspaceId)
                .compose(endpoints ->
                    AuditLog.write(
                        tx,
                        workspaceId,
                        caller,
                        new Act(
                            "workspace.ended",
                            "workspace",
                            workspaceId,
                            new JsonObject()
                                .put("api_keys", keys.rowCount())
                                .put("endpoints", endpoints)))))
        .compose(_ -> tx.preparedQuery(FORGET_ANSWERS).execute(workspace))
        .compose(_ -> tx.preparedQuery(CLOSE_LINKS).execute(workspace))
        .compose(_ -> tx.preparedQuery(CLOSE_SESSIONS).execute(workspace))
        .compose(_ -> tx.preparedQuery(DROP_NOTICES).execute(workspace))
        .mapEmpty();
  }
}
