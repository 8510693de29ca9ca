package io.egress.api.admin.replays;

import io.egress.api.admin.workspace.WorkspaceCalls;
import io.egress.api.intake.QueryValues;
import io.egress.api.intake.ReplayBody;
import io.egress.platform.audit.Caller;
import io.egress.platform.http.HttpExchange;
import io.egress.platform.http.PathIds;
import io.vertx.core.Future;
import io.vertx.core.json.JsonArray;
import io.vertx.core.json.JsonObject;
import io.vertx.ext.web.RoutingContext;
import java.util.List;
import java.util.UUID;
import org.jspecify.annotations.Nullable;

/** The internal API's calls for replays and redeliveries. */
public final class ReplaysHandler {
  private final Replays replays;

  public ReplaysHandler(Replays replays) {
    this.replays = replays;
  }

  public Future<Void> start(RoutingContext ctx, UUID workspaceId, UUID endpointId) {
    ReplayBody wanted = ReplayBody.read(WorkspaceCalls.given(ctx)).orRefuse();
    return replays
        .start(Caller.ofApi(ctx), workspaceId, endpointId, wanted)
        .onSuccess(started -> HttpExchange.sendJson(ctx, 202, ReplayView.of(started)))
        .mapEmpty();
  }

  /** Replays of one endpoint. */
  public Future<Void> list(RoutingContext ctx, UUID workspaceId, UUID endpointId) {
    int limit = QueryValues.limit(ctx.queryParams());
    UUID after =
        QueryValues.one(
            ctx.queryParams(),
            "after",
            PathIds::uuid,
            "must be one cursor, exactly as a pageInfo.endCursor of this list gave it");
    return replays
        .list(workspaceId, endpointId, after, limit + 1)
        .onSuccess(found -> HttpExchange.sendJson(ctx, 200, page(found, limit)))
        .mapEmpty();
  }

  private static JsonObject page(List<Replay> found, int limit) {
    JsonArray shown = new JsonArray();
    List<Replay> page = found.subList(0, Math.min(limit, found.size()));
    page.forEach(replay -> shown.add(ReplayView.of(replay)));
    boolean more = found.size() > limit;
    @Nullable String cursor = more ? page.get(limit - 1).id().toString() : null;
    return new JsonObject()
        .put("replays", shown)
        .put("pageInfo", new JsonObject().put("hasNextPage", more).put("endCursor", cursor));
  }

  /** Shows a replay with the states of its deliveries. */
  public Future<Void> show(RoutingContext ctx, UUID workspaceId, UUID id) {
    return replays
        .show(workspaceId, id)
        .onSuccess(found ->
            HttpExchange.sendJson(ctx, 200, ReplayView.of(found.replay(), found.outcomes())))
        .mapEmpty();
  }

  public Future<Void> cancel(RoutingContext ctx, UUID workspaceId, UUID id) {
    return replays
        .cancel(Caller.ofApi(ctx), workspaceId, id)
        .compose(_ -> HttpExchange.endEmpty(ctx, 204));
  }
}
