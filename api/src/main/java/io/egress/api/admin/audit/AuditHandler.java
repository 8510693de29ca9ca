package io.egress.api.admin.audit;

import io.egress.api.intake.QueryValues;
import io.egress.platform.http.HttpExchange;
import io.egress.platform.json.UtcInstant;
import io.vertx.core.Future;
import io.vertx.core.json.JsonArray;
import io.vertx.core.json.JsonObject;
import io.vertx.ext.web.MIMEHeader;
import io.vertx.ext.web.RoutingContext;
import java.util.UUID;
import org.jspecify.annotations.Nullable;

/** Lists the audit log in pages, or exports it as NDJSON. */
public final class AuditHandler {
  private static final int LIMIT_DEFAULT = 50;

  private final AuditEntries audit;
  private final AuditExport export;

  public AuditHandler(AuditEntries audit) {
    this.audit = audit;
    this.export = new AuditExport(audit);
  }

  /** Entries of one workspace. */
  public Future<Void> list(RoutingContext ctx, UUID workspaceId) {
    return answer(ctx, workspaceId);
  }

  /** Entries of all workspaces, and those without a workspace. */
  public void listAll(RoutingContext ctx) {
    Future.<Void>succeededFuture()
        .compose(_ -> answer(ctx, null))
        .onFailure(failure -> HttpExchange.fail(ctx, failure));
  }

  private Future<Void> answer(RoutingContext ctx, @Nullable UUID workspaceId) {
    if (wantsLines(ctx)) {
      return export.send(
          ctx,
          AuditFilter.from(workspaceId, ctx.queryParams(), AuditExport.ENTRIES_MAX),
          AuditExport.Form.NDJSON);
    }
    AuditFilter filter = AuditFilter.from(workspaceId, ctx.queryParams(), QueryValues.LIMIT_MAX);
    Integer limit = filter.limit();
    return audit
        .page(filter, limit == null ? LIMIT_DEFAULT : limit)
        .map(page -> {
          JsonArray shown = new JsonArray();
          page.entries().forEach(entry -> shown.add(json(entry)));
          AuditCursor next = page.next();
          JsonObject pageInfo =
              new JsonObject()
                  .put("hasNextPage", next != null)
                  .put("endCursor", next == null ? null : next.encode());
          HttpExchange.sendJson(
              ctx, 200, new JsonObject().put("entries", shown).put("pageInfo", pageInfo));
          return null;
        });
  }

  private static boolean wantsLines(RoutingContext ctx) {
    for (MIMEHeader accepted : ctx.parsedHeaders().accept()) {
      if (accepted.component().equals("application")
          && accepted.subComponent().equals("x-ndjson")
          && accepted.weight() > 0) {
        return true;
      }
    }
    return false;
  }

  static JsonObject json(AuditEntry entry) {
    return new JsonObject()
        .put("id", entry.id())
        .put("at", UtcInstant.format(entry.at()))
        .put("workspace_id", text(entry.workspaceId()))
        .put("action", entry.action())
        .put("kind", entry.kind())
        .put("thing_id", text(entry.thingId()))
        .put("actor", entry.actor())
        .put("via", entry.via())
        .put("remote_address", entry.remoteAddress())
        .put("request_id", entry.requestId())
        .put("changes", entry.changes());
  }

  private static @Nullable String text(@Nullable UUID id) {
    return id == null ? null : id.toString();
  }
}
