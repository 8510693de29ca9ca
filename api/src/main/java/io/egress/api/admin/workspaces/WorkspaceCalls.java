package io.egress.api.admin.workspaces;

import io.egress.api.admin.workspaces.Workspaces.Workspace;
import io.egress.api.call.Answer;
import io.egress.api.call.Call;
import io.egress.api.intake.WorkspaceBody;
import io.egress.platform.audit.Act;
import io.egress.platform.audit.AuditLog;
import io.egress.platform.audit.Caller;
import io.egress.platform.database.Transactions;
import io.egress.platform.json.Json;
import io.vertx.core.json.JsonObject;
import io.vertx.sqlclient.Pool;
import io.vertx.sqlclient.SqlConnection;
import java.time.Duration;
import java.util.UUID;
import org.jspecify.annotations.Nullable;

/**
 * Shows and changes a workspace: its name, how long its captures are kept, and how much it may
 * have. Ends workspaces.
 */
public final class WorkspaceCalls {
  private final Pool pool;
  private final Transactions transactions;
  private final WorkspaceEnd ending;
  private final Runnable erase;
  private final @Nullable Duration standard;

  /**
   * {@code standard} is the retention of workspaces that have none of their own. {@code erase}
   * begins to erase what has to go.
   */
  public WorkspaceCalls(Pool pool, @Nullable Duration standard, Runnable erase) {
    this.pool = pool;
    this.transactions = new Transactions(pool);
    this.ending = new WorkspaceEnd(pool);
    this.standard = standard;
    this.erase = erase;
  }

  public Answer show(Call call) {
    return Answer.ok(Workspaces.show(pool, call.workspaceId(), standard));
  }

  /** The answer shows how far the erasing is, in this and each repeated call. */
  public Answer end(Call call) {
    ending.end(call.caller(), call.workspaceId());
    erase.run();
    return show(call);
  }

  public Answer change(Call call) {
    UUID workspaceId = call.workspaceId();
    Caller caller = call.caller();
    WorkspaceBody change = WorkspaceBody.read(call.body()).orRefuse();
    Workspaces.name(pool, workspaceId);
    return Answer.ok(transactions.call(tx -> change(tx, caller, workspaceId, change)));
  }

  private Workspace change(SqlConnection tx, Caller caller, UUID workspaceId, WorkspaceBody body) {
    Workspaces.change(tx, workspaceId, body);
    Workspace changed = Workspaces.show(tx, workspaceId, standard);
    JsonObject all = Json.object(changed);
    JsonObject changes = new JsonObject();
    for (String name :
        new String[] {"name", "retention", "legal_hold", "max_endpoints", "max_keys"}) {
      changes.put(name, all.getValue(name));
    }
    AuditLog.record(
        tx, workspaceId, caller, new Act("workspace.changed", "workspace", workspaceId, changes));
    return changed;
  }
}
