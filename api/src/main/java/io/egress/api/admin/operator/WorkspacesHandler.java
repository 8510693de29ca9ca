package io.egress.api.admin.operator;

import static java.util.Objects.requireNonNull;

import io.egress.api.admin.deliveries.EndpointHealth;
import io.egress.platform.environment.Durations;
import io.egress.platform.http.HttpExchange;
import io.egress.platform.http.PathIds;
import io.egress.platform.http.Refusal;
import io.egress.platform.json.UtcInstant;
import io.vertx.core.json.JsonArray;
import io.vertx.core.json.JsonObject;
import io.vertx.ext.web.RoutingContext;
import java.time.Duration;
import java.time.Instant;
import java.util.EnumMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.UUID;
import org.jspecify.annotations.Nullable;

/** Lists all workspaces. */
public final class WorkspacesHandler {
  private static final int PAGE = 20;

  private final WorkspaceList workspaces;

  public WorkspacesHandler(WorkspaceList workspaces) {
    this.workspaces = workspaces;
  }

  public void list(RoutingContext ctx) {
    UUID after;
    boolean troubled;
    try {
      after = after(ctx);
      troubled = isOnlyTroubled(ctx);
    } catch (Refusal refusal) {
      HttpExchange.fail(ctx, refusal);
      return;
    }
    workspaces
        .byId(after, troubled, PAGE + 1)
        .onSuccess(found -> HttpExchange.sendJson(ctx, 200, page(found)))
        .onFailure(failure -> HttpExchange.fail(ctx, failure));
  }

  private static @Nullable UUID after(RoutingContext ctx) {
    String text = ctx.queryParams().get("after");
    return text == null
        ? null
        : PathIds.uuid(text)
            .orElseThrow(() -> new Refusal(400, "after must be the id of a workspace"));
  }

  private static boolean isOnlyTroubled(RoutingContext ctx) {
    String only = ctx.queryParams().get("only");
    if (only != null && !only.equals("failing")) {
      throw new Refusal(400, "only must be failing");
    }
    return only != null;
  }

  private static JsonObject page(List<WorkspaceList.Listed> found) {
    boolean hasNext = found.size() > PAGE;
    List<WorkspaceList.Listed> page = hasNext ? found.subList(0, PAGE) : found;
    JsonArray shown = new JsonArray();
    page.forEach(each -> shown.add(json(each)));
    JsonObject pageInfo =
        new JsonObject()
            .put("hasNextPage", hasNext)
            .put("endCursor", hasNext ? page.get(PAGE - 1).id().toString() : null);
    return new JsonObject().put("workspaces", shown).put("pageInfo", pageInfo);
  }

  private static JsonObject json(WorkspaceList.Listed workspace) {
    Map<EndpointHealth.State, Integer> states = new EnumMap<>(EndpointHealth.State.class);
    workspace.judged().forEach(judged -> states.merge(judged.health().state(), 1, Integer::sum));
    JsonArray problems = new JsonArray();
    workspace.problems().forEach(judged -> problems.add(problem(judged)));
    JsonObject endpoints = new JsonObject().put("all", workspace.endpoints());
    for (EndpointHealth.State state : EndpointHealth.State.values()) {
      endpoints.put(word(state), states.getOrDefault(state, 0));
    }
    Duration retention = workspace.retention();
    return new JsonObject()
        .put("id", workspace.id().toString())
        .put("name", workspace.name())
        .put("captures", workspace.captures())
        .put("captures_last_hour", workspace.lastHour())
        .put("newest_at", time(workspace.newestAt()))
        .put("ended_at", time(workspace.endedAt()))
        .put("endpoints", endpoints)
        .put("pending", workspace.pending().deliveries())
        .put("oldest_pending_at", time(workspace.pending().oldest()))
        .put("undelivered", workspace.undelivered())
        .put("effective_retention", retention == null ? null : Durations.format(retention))
        .put("legal_hold", workspace.legalHold())
        .put("problems", problems);
  }

  private static JsonObject problem(WorkspaceList.Judged judged) {
    EndpointHealth health = judged.health();
    return new JsonObject()
        .put("endpoint_id", judged.endpoint().id().toString())
        .put("url", judged.endpoint().url())
        .put("description", judged.endpoint().description())
        .put("health", word(health.state()))
        .put("attempts", health.attempts())
        .put("succeeded", health.succeeded())
        .put("last_success_at", time(health.lastSuccess()))
        .put("last_outcome", health.lastOutcome())
        .put("undelivered", health.undelivered());
  }

  private static String word(EndpointHealth.State state) {
    return requireNonNull(state, "state is null").name().toLowerCase(Locale.ROOT);
  }

  private static @Nullable String time(@Nullable Instant instant) {
    return instant == null ? null : UtcInstant.format(instant);
  }
}
