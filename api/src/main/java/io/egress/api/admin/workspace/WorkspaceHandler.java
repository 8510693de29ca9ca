package io.egress.api.admin.workspace;

import io.egress.api.intake.WorkspaceBody;
import io.egress.platform.audit.Act;
import io.egress.platform.audit.AuditLog;
import io.egress.platform.audit.Caller;
import io.egress.platform.database.Transactions;
import io.egress.platform.environment.Durations;
import io.egress.platform.http.HttpExchange;
import io.egress.platform.http.Refusal;
import io.egress.platform.json.UtcInstant;
import io.vertx.core.Future;
import io.vertx.core.json.JsonObject;
import io.vertx.ext.web.RoutingContext;
import io.vertx.sqlclient.Pool;
import io.vertx.sqlclient.Row;
import io.vertx.sqlclient.RowIterator;
import io.vertx.sqlclient.SqlClient;
import io.vertx.sqlclient.SqlConnection;
import io.vertx.sqlclient.Tuple;
import java.time.Duration;
import java.time.OffsetDateTime;
import java.util.UUID;
import org.jspecify.annotations.Nullable;

/** Shows and changes a workspace: its name, and how long its captures are kept. Ends workspaces. */
public final class WorkspaceHandler {
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

  private final Pool pool;
  private final Transactions transactions;
  private final WorkspaceEnd ending;
  private final Runnable erase;
  private final @Nullable Duration standard;

  /**
   * {@code standard} is the retention of workspaces that have none of their own. {@code erase}
   * begins to erase what has to go.
   */
  public WorkspaceHandler(Pool pool, @Nullable Duration standard, Runnable erase) {
    this.pool = pool;
    this.transactions = new Transactions(pool);
    this.ending = new WorkspaceEnd(pool);
    this.standard = standard;
    this.erase = erase;
  }

  public Future<Void> show(RoutingContext ctx, UUID workspaceId) {
    return shown(pool, workspaceId)
        .onSuccess(shown -> HttpExchange.sendJson(ctx, 200, shown))
        .mapEmpty();
  }

  /** The answer shows how far the erasing is, in this and each repeated call. */
  public Future<Void> end(RoutingContext ctx, UUID workspaceId) {
    return ending
        .end(Caller.ofApi(ctx), workspaceId)
        .onSuccess(_ -> erase.run())
        .compose(_ -> show(ctx, workspaceId));
  }

  private Future<JsonObject> shown(SqlClient client, UUID workspaceId) {
    return client
        .preparedQuery(SHOW)
        .execute(Tuple.of(workspaceId))
        .map(rows -> {
          RowIterator<Row> found = rows.iterator();
          if (!found.hasNext()) {
            throw new Refusal(404, "no such workspace");
          }
          return json(workspaceId, found.next());
        });
  }

  public Future<Void> change(RoutingContext ctx, UUID workspaceId) {
    Caller caller = Caller.ofApi(ctx);
    WorkspaceBody wanted = WorkspaceBody.read(WorkspaceCalls.given(ctx)).orRefuse();
    return Workspaces.name(pool, workspaceId)
        .compose(_ -> transactions.run(tx -> change(tx, caller, workspaceId, wanted)))
        .onSuccess(changed -> HttpExchange.sendJson(ctx, 200, changed))
        .mapEmpty();
  }

  private Future<JsonObject> change(
      SqlConnection tx, Caller caller, UUID workspaceId, WorkspaceBody wanted) {
    Duration retention = wanted.retention();
    return Workspaces.requireOpen(tx, workspaceId)
        .compose(_ ->
            tx.preparedQuery(CHANGE)
                .execute(
                    Tuple.of(
                        workspaceId,
                        wanted.changesRetention(),
                        retention == null ? null : retention.toMillis(),
                        wanted.legalHold(),
                        wanted.changesName(),
                        wanted.name())))
        .compose(_ -> shown(tx, workspaceId))
        .compose(changed ->
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
        .put("legal_hold", row.getBoolean("legal_hold"))
        .put("captures", row.getLong("captures"))
        .put("erased", row.getLong("erased"))
        .put("ended_at", time(row.getOffsetDateTime("ended_at")))
        .put("emptied_at", time(row.getOffsetDateTime("emptied_at")));
  }

  private static @Nullable String time(@Nullable OffsetDateTime time) {
    return time == null ? null : UtcInstant.format(time.toInstant());
  }

  private static @Nullable String text(@Nullable Duration duration) {
    return duration == null ? null : Durations.format(duration);
  }
}
