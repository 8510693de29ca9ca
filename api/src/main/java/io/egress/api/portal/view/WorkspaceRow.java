package io.egress.api.portal.view;

import static java.util.Objects.requireNonNull;

import io.egress.api.admin.deliveries.EndpointHealth;
import io.egress.api.admin.overview.WorkspaceList;
import java.time.Instant;
import java.util.ArrayList;
import java.util.EnumMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.UUID;
import org.jspecify.annotations.Nullable;

/**
 * A workspace in the list of all.
 *
 * @param name null if it has none
 * @param endpoints how many it has
 * @param states the number of judged endpoints in each state, the worst first; the keys are classes
 *     of the style sheet
 * @param judged how many these are
 * @param problems endpoints that are down, failing or paused, in words
 * @param moreProblems how many more there are
 * @param behind what is late or was not delivered; one a line
 * @param keeps for how long it keeps captures; a dash if it has ended
 */
public record WorkspaceRow(
    UUID id,
    @Nullable String name,
    long captures,
    long lastHour,
    @Nullable Instant newestAt,
    @Nullable Instant endedAt,
    int endpoints,
    Map<String, Integer> states,
    int judged,
    List<String> problems,
    int moreProblems,
    List<String> behind,
    String keeps) {
  private static final int PROBLEMS_MAX = 3;

  public WorkspaceRow {
    requireNonNull(id, "id is null");
    requireNonNull(keeps, "keeps is null");
    problems = List.copyOf(problems);
    behind = List.copyOf(behind);
  }

  public static WorkspaceRow of(WorkspaceList.ListedWorkspace workspace, Instant now) {
    List<WorkspaceList.Judged> problems = workspace.problems();
    return new WorkspaceRow(
        workspace.id(),
        workspace.name(),
        workspace.captures(),
        workspace.lastHour(),
        workspace.newestAt(),
        workspace.endedAt(),
        workspace.endpoints(),
        states(workspace.judged()),
        workspace.judged().size(),
        problems.stream().limit(PROBLEMS_MAX).map(WorkspaceRow::problem).toList(),
        Math.max(0, problems.size() - PROBLEMS_MAX),
        behind(workspace, now),
        keeps(workspace));
  }

  /** The worst state of its endpoints, to sort by. */
  public static EndpointHealth.State worst(WorkspaceList.ListedWorkspace workspace) {
    return workspace.judged().stream()
        .map(each -> each.health().state())
        .min(EndpointHealth.State::compareTo)
        .orElse(EndpointHealth.State.UNTRIED);
  }

  private static Map<String, Integer> states(List<WorkspaceList.Judged> judged) {
    Map<EndpointHealth.State, Integer> counts = new EnumMap<>(EndpointHealth.State.class);
    judged.forEach(each -> counts.merge(each.health().state(), 1, Integer::sum));
    Map<String, Integer> states = new LinkedHashMap<>();
    counts.forEach((state, count) -> states.put(state.name().toLowerCase(Locale.ROOT), count));
    return states;
  }

  private static String problem(WorkspaceList.Judged judged) {
    String description = judged.endpoint().description();
    EndpointHealth.LastFailure failure = judged.health().lastFailure();
    return (description == null || description.isBlank() ? judged.endpoint().url() : description)
        + " is "
        + judged.health().state().name().toLowerCase(Locale.ROOT)
        + (failure == null || judged.endpoint().paused() ? "" : ": " + failure.text().words());
  }

  private static List<String> behind(WorkspaceList.ListedWorkspace workspace, Instant now) {
    List<String> behind = new ArrayList<>();
    Instant oldest = workspace.oldestPending();
    if (oldest != null) {
      behind.add(
          Times.number(workspace.pending())
              + (workspace.hasMorePending() ? " or more" : "")
              + " not delivered yet, the oldest for "
              + Times.age(oldest, now));
    }
    if (workspace.undelivered() > 0) {
      behind.add(Times.number(workspace.undelivered()) + " given up or skipped");
    }
    return behind;
  }

  private static String keeps(WorkspaceList.ListedWorkspace workspace) {
    if (workspace.endedAt() != null) {
      return "–";
    }
    String kept = Times.kept(workspace.retention());
    return workspace.legalHold() ? kept + ", on legal hold" : kept;
  }
}
