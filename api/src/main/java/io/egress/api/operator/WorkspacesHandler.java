package io.egress.api.operator;

import static java.util.Objects.requireNonNull;

import io.egress.api.deliveries.EndpointHealth;
import io.egress.api.deliveries.EndpointHealths;
import io.egress.document.UtcInstant;
import io.egress.http.HttpExchange;
import io.egress.http.PathIds;
import io.egress.http.Refusal;
import io.vertx.core.json.JsonArray;
import io.vertx.core.json.JsonObject;
import io.vertx.ext.web.RoutingContext;
import io.vertx.sqlclient.Pool;
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

  public WorkspacesHandler(Pool pool, EndpointHealths healths) {
    this.workspaces = new WorkspaceList(pool, healths);
  }

  public void list(RoutingContext exchange) {
    UUID after;
    boolean troubled;
    try {
      after = after(exchange);
      troubled = isOnlyTroubled(exchange);
    } catch (Refusal refusal) {
      HttpExchange.fail(exchange, refusal);
      return;
    }
    workspaces
        .list(after, troubled, PAGE + 1)
        .onSuccess(found -> HttpExchange.sendJson(exchange, 200, page(found)))
        .onFailure(failure -> HttpExchange.fail(exchange, failure));
  }

  private static @Nullable UUID after(RoutingContext exchange) {
    String text = exchange.queryParams().get("after");
    return text == null
        ? null
        : PathIds.uuid(text)
            .orElseThrow(() -> new Refusal(400, "after must be the id of a workspace"));
  }

  private static boolean isOnlyTroubled(RoutingContext exchange) {
    String only = exchange.queryParams().get("only");
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
    JsonArray problems = new JsonArray();
    long undelivered = 0;
    for (WorkspaceList.Judged judged : workspace.judged()) {
      EndpointHealth.State state = judged.health().state();
      states.merge(state, 1, Integer::sum);
      undelivered += judged.health().undelivered();
      if (state.compareTo(EndpointHealth.State.PAUSED) <= 0) {
        problems.add(problem(judged));
      }
    }
    JsonObject endpoints = new JsonObject().put("all", workspace.endpoints());
    for (EndpointHealth.State state : EndpointHealth.State.values()) {
      endpoints.put(word(state), states.getOrDefault(state, 0));
    }
    return new JsonObject()
        .put("id", workspace.id().toString())
        .put("name", workspace.name())
        .put("captures", workspace.captures())
        .put("captures_last_hour", workspace.lastHour())
        .put("newest_at", time(workspace.newestAt()))
        .put("ended_at", time(workspace.endedAt()))
        .put("endpoints", endpoints)
        .put("undelivered", undelivered)
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
