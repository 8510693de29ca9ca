package io.egress.api.admin.erasures;

import io.egress.api.admin.workspace.WorkspaceCalls;
import io.egress.api.intake.ErasureBody;
import io.egress.platform.audit.Caller;
import io.egress.platform.http.HttpExchange;
import io.egress.platform.http.PathIds;
import io.egress.platform.http.Refusal;
import io.egress.platform.json.UtcInstant;
import io.vertx.core.Future;
import io.vertx.core.json.JsonObject;
import io.vertx.ext.web.RoutingContext;
import java.util.UUID;

/** Erases captures and members. */
public final class ErasuresHandler {
  private final CaptureErasure captures;
  private final MemberErasure members;

  public ErasuresHandler(CaptureErasure captures, MemberErasure members) {
    this.captures = captures;
    this.members = members;
  }

  public void eraseCapture(RoutingContext ctx) {
    eraseNamed(ctx).onFailure(failure -> HttpExchange.fail(ctx, failure));
  }

  private Future<Void> eraseNamed(RoutingContext ctx) {
    return PathIds.uuid(ctx.pathParam("id"))
        .map(Future::succeededFuture)
        .orElseGet(() -> Future.failedFuture(new Refusal(400, "the capture id must be a UUID")))
        .compose(id ->
            captures.erase(
                Caller.ofApi(ctx), id, ErasureBody.reason(WorkspaceCalls.given(ctx)).orRefuse()))
        .onSuccess(erasure -> HttpExchange.sendJson(ctx, 200, json(erasure)))
        .mapEmpty();
  }

  public Future<Void> eraseMember(RoutingContext ctx, UUID workspaceId, UUID memberId) {
    return members
        .erase(Caller.ofApi(ctx), workspaceId, memberId)
        .onSuccess(captures ->
            HttpExchange.sendJson(
                ctx,
                200,
                new JsonObject().put("id", memberId.toString()).put("captures", captures)))
        .mapEmpty();
  }

  private static JsonObject json(Erasure erasure) {
    return new JsonObject()
        .put("id", erasure.captureId().toString())
        .put("workspace_id", erasure.workspaceId().toString())
        .put("erased_at", UtcInstant.format(erasure.erasedAt()))
        .put("erased_by", erasure.erasedBy())
        .put("reason", erasure.reason());
  }
}
