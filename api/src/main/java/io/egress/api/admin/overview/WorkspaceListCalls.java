package io.egress.api.admin.overview;

import io.egress.api.admin.deliveries.EndpointHealth;
import io.egress.api.call.Answer;
import io.egress.api.call.Call;
import io.egress.api.call.Pages;
import io.egress.platform.http.PathIds;
import io.egress.platform.http.Refusal;
import java.time.Duration;
import java.time.Instant;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.UUID;
import org.jspecify.annotations.Nullable;

/** Lists all workspaces. */
public final class WorkspaceListCalls {
  private static final int PAGE = 20;

  /**
   * A workspace in the list.
   *
   * @param endpoints their number, in all and by health
   */
  private record WorkspaceView(
      UUID id,
      @Nullable String name,
      long captures,
      long capturesLastHour,
      @Nullable Instant newestAt,
      @Nullable Instant endedAt,
      Map<String, Integer> endpoints,
      long pending,
      @Nullable Instant oldestPendingAt,
      long undelivered,
      @Nullable Duration effectiveRetention,
      boolean legalHold,
      List<Problem> problems) {
    static WorkspaceView of(WorkspaceList.ListedWorkspace workspace) {
      Map<String, Integer> endpoints = new LinkedHashMap<>();
      endpoints.put("all", workspace.endpoints());
      for (EndpointHealth.State state : EndpointHealth.State.values()) {
        endpoints.put(state.word(), 0);
      }
      workspace
          .judged()
          .forEach(judged -> endpoints.merge(judged.health().state().word(), 1, Integer::sum));
      return new WorkspaceView(
          workspace.id(),
          workspace.name(),
          workspace.captures(),
          workspace.lastHour(),
          workspace.newestAt(),
          workspace.endedAt(),
          endpoints,
          workspace.pending(),
          workspace.oldestPending(),
          workspace.undelivered(),
          workspace.retention(),
          workspace.legalHold(),
          workspace.problems().stream().map(Problem::of).toList());
    }
  }

  private record Problem(
      UUID endpointId,
      String url,
      @Nullable String description,
      EndpointHealth.State health,
      int attempts,
      int succeeded,
      @Nullable Instant lastSuccessAt,
      @Nullable String lastOutcome,
      long undelivered) {
    static Problem of(WorkspaceList.Judged judged) {
      EndpointHealth health = judged.health();
      return new Problem(
          judged.endpoint().id(),
          judged.endpoint().url(),
          judged.endpoint().description(),
          health.state(),
          health.attempts(),
          health.succeeded(),
          health.lastSuccess(),
          health.lastOutcome(),
          health.undelivered());
    }
  }

  private final WorkspaceList workspaces;

  public WorkspaceListCalls(WorkspaceList workspaces) {
    this.workspaces = workspaces;
  }

  public Answer list(Call call) {
    List<WorkspaceList.ListedWorkspace> found =
        workspaces.byId(after(call), isOnlyTroubled(call), PAGE + 1);
    boolean hasNext = found.size() > PAGE;
    List<WorkspaceList.ListedWorkspace> page = hasNext ? found.subList(0, PAGE) : found;
    return Pages.answer(
        "workspaces",
        page.stream().map(WorkspaceView::of).toList(),
        hasNext ? page.getLast().id().toString() : null);
  }

  private static @Nullable UUID after(Call call) {
    String text = call.query().get("after");
    return text == null
        ? null
        : PathIds.uuid(text)
            .orElseThrow(() -> new Refusal(400, "after must be the id of a workspace"));
  }

  private static boolean isOnlyTroubled(Call call) {
    String only = call.query().get("only");
    if (only != null && !only.equals("failing")) {
      throw new Refusal(400, "only must be failing");
    }
    return only != null;
  }
}
