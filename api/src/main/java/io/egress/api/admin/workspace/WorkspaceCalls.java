package io.egress.api.admin.workspace;

import io.egress.api.call.Answer;
import io.egress.api.call.Call;
import io.egress.api.intake.WorkspaceBody;
import io.egress.platform.audit.Act;
import io.egress.platform.audit.AuditLog;
import io.egress.platform.audit.Caller;
import io.egress.platform.database.Rows;
import io.egress.platform.database.Transactions;
import io.egress.platform.http.Refusal;
import io.egress.platform.json.Json;
import io.vertx.core.json.JsonObject;
import io.vertx.sqlclient.Pool;
import io.vertx.sqlclient.Row;
import io.vertx.sqlclient.SqlClient;
import io.vertx.sqlclient.SqlConnection;
import java.time.Duration;
import java.time.Instant;
import java.util.UUID;
import org.jspecify.annotations.Nullable;

/** Shows and changes a workspace: its name, and how long its captures are kept. Ends workspaces. */
public final class WorkspaceCalls {
  private static final String SHOW =
      """
      select w.name, w.retention_ms, w.legal_hold, w.ended_at, w.emptied_at, w.stream_head as captures,
        coalesce(h.number, 0) as erased
      from workspaces w left join erasure_heads h on h.workspace_id = w.id where w.id = $1
      """;
  private static final String CHANGE =
      """
      update workspaces
      set retention_ms = case when $2 then $3 else retention_ms end, legal_hold = coalesce($4, legal_hold),
        name = case when $5 then $6 else name end
      where id = $1
      """;

  /**
   * A workspace.
   *
   * @param retention null if it has none of its own
   * @param erased how many of its captures are erased
   */
  record Workspace(
      UUID id,
      @Nullable String name,
      @Nullable Duration retention,
      @Nullable Duration effectiveRetention,
      boolean legalHold,
      long captures,
      long erased,
      @Nullable Instant endedAt,
      @Nullable Instant emptiedAt) {}

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
    return Answer.ok(workspace(pool, call.workspaceId()));
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
    Workspaces.requireOpen(tx, workspaceId);
    Rows.of(
        tx,
        CHANGE,
        workspaceId,
        body.changesRetention(),
        body.retention(),
        body.legalHold(),
        body.changesName(),
        body.name());
    Workspace changed = workspace(tx, workspaceId);
    JsonObject all = Json.object(changed);
    JsonObject changes = new JsonObject();
    for (String name : new String[] {"name", "retention", "legal_hold"}) {
      changes.put(name, all.getValue(name));
    }
    AuditLog.record(
        tx, workspaceId, caller, new Act("workspace.changed", "workspace", workspaceId, changes));
    return changed;
  }

  private Workspace workspace(SqlClient client, UUID id) {
    return Rows.one(Rows.of(client, SHOW, id), row -> workspace(id, row))
        .orElseThrow(() -> new Refusal(404, "no such workspace"));
  }

  private Workspace workspace(UUID id, Row row) {
    Long millis = row.getLong("retention_ms");
    Duration own = millis == null ? null : Duration.ofMillis(millis);
    return new Workspace(
        id,
        row.getString("name"),
        own,
        own == null ? standard : own,
        row.getBoolean("legal_hold"),
        row.getLong("captures"),
        row.getLong("erased"),
        Rows.optionalInstant(row, "ended_at"),
        Rows.optionalInstant(row, "emptied_at"));
  }
}
