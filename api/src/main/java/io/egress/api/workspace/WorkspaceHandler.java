package io.egress.api.workspace;

import static java.util.Objects.requireNonNull;

import io.egress.api.intake.WorkspaceBody;
import io.egress.audit.Act;
import io.egress.audit.AuditLog;
import io.egress.audit.Caller;
import io.egress.database.Transactions;
import io.egress.http.HttpExchange;
import io.egress.settings.Durations;
import io.vertx.core.Future;
import io.vertx.core.json.JsonObject;
import io.vertx.ext.web.RoutingContext;
import io.vertx.sqlclient.Pool;
import io.vertx.sqlclient.Row;
import io.vertx.sqlclient.SqlConnection;
import io.vertx.sqlclient.Tuple;
import java.time.Duration;
import java.util.UUID;
import org.jspecify.annotations.Nullable;

/** Shows and changes a workspace: its name, and how long its captures are kept. */
public final class WorkspaceHandler {
  private static final String SHOW =
      "select name, retention_ms, legal_hold from workspaces where id = $1";
  private static final String CHANGE =
      """
      update workspaces
      set retention_ms = case when $2 then $3 else retention_ms end, legal_hold = coalesce($4, legal_hold),
        name = case when $5 then $6 else name end
      where id = $1 returning name, retention_ms, legal_hold
      """;

  private final Pool pool;
  private final Transactions transactions;
  private final @Nullable Duration standard;

  /** {@code standard} is the retention of workspaces that have none of their own. */
  public WorkspaceHandler(Pool pool, @Nullable Duration standard) {
    this.pool = requireNonNull(pool, "pool is null");
    this.transactions = new Transactions(pool);
    this.standard = standard;
  }

  public Future<Void> show(RoutingContext ctx, UUID workspaceId) {
    return Workspaces.name(pool, workspaceId)
        .compose(named -> pool.preparedQuery(SHOW).execute(Tuple.of(workspaceId)))
        .onSuccess(
            rows -> HttpExchange.sendJson(ctx, 200, json(workspaceId, rows.iterator().next())))
        .mapEmpty();
  }

  public Future<Void> change(RoutingContext ctx, UUID workspaceId) {
    Caller caller = Caller.ofApi(ctx);
    WorkspaceBody wanted = WorkspaceBody.read(WorkspaceCalls.body(ctx)).orRefuse();
    return Workspaces.name(pool, workspaceId)
        .compose(named -> transactions.run(tx -> change(tx, caller, workspaceId, wanted)))
        .onSuccess(changed -> HttpExchange.sendJson(ctx, 200, changed))
        .mapEmpty();
  }

  private Future<JsonObject> change(
      SqlConnection tx, Caller caller, UUID workspaceId, WorkspaceBody wanted) {
    Duration retention = wanted.retention();
    return tx.preparedQuery(CHANGE)
        .execute(
            Tuple.of(
                workspaceId,
                wanted.changesRetention(),
                retention == null ? null : retention.toMillis(),
                wanted.legalHold(),
                wanted.changesName(),
                wanted.name()))
        .map(rows -> json(workspaceId, rows.iterator().next()))
        .compose(
            changed ->
                AuditLog.write(
                        tx,
                        workspaceId,
                        caller,
                        new Act("workspace.changed", "workspace", workspaceId, changes(changed)))
                    .map(changed));
  }

  private static JsonObject changes(JsonObject changed) {
    return new JsonObject()
        .put("name", changed.getValue("name"))
        .put("retention", changed.getValue("retention"))
        .put("legal_hold", changed.getValue("legal_hold"));
  }

  private JsonObject json(UUID workspaceId, Row row) {
    Long millis = row.getLong("retention_ms");
    String effective = millis == null ? text(standard) : text(Duration.ofMillis(millis));
    return new JsonObject()
        .put("id", workspaceId.toString())
        .put("name", row.getString("name"))
        .put("retention", millis == null ? null : text(Duration.ofMillis(millis)))
        .put("effective_retention", effective)
        .put("legal_hold", row.getBoolean("legal_hold"));
  }

  private static @Nullable String text(@Nullable Duration duration) {
    return duration == null ? null : Durations.format(duration);
  }
}
