package io.egress.api.portal;

import io.egress.api.admin.captures.Captures;
import io.egress.api.admin.overview.WorkspaceList;
import io.egress.api.call.Answer;
import io.egress.api.call.Call;
import io.egress.api.portal.access.OperatorSession;
import io.egress.api.portal.view.FormProblem;
import io.egress.api.portal.view.Frame;
import io.egress.api.portal.view.WorkspaceRow;
import io.egress.platform.http.PathIds;
import io.egress.platform.http.Refusal;
import io.vertx.core.MultiMap;
import java.time.Clock;
import java.time.Instant;
import java.util.Comparator;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.UUID;
import org.jspecify.annotations.Nullable;

/** The pages of an operator about all workspaces: their list, and the search for a capture. */
final class WorkspacesPage {
  private static final int PAGE = 20;
  private static final int SEARCH_CHARACTERS_MAX = 200;
  private static final String SEARCH = "search";
  private static final String TROUBLED = "problems.";
  private static final String OTHERS = "others.";

  private final PageRenderer pages;
  private final WorkspaceList workspaces;
  private final Captures captures;
  private final Clock clock;

  WorkspacesPage(PageRenderer pages, WorkspaceList workspaces, Captures captures, Clock clock) {
    this.pages = pages;
    this.workspaces = workspaces;
    this.captures = captures;
    this.clock = clock;
  }

  Answer list(Call call, OperatorSession session) {
    MultiMap query = FilterQuery.of(call.query(), List.of(SEARCH));
    String search = query.get(SEARCH);
    if (search != null && search.codePointCount(0, search.length()) > SEARCH_CHARACTERS_MAX) {
      throw new Refusal(400, "search is longer than " + SEARCH_CHARACTERS_MAX + " characters");
    }
    return page(
        session, search, workspaces.troubledFirst(search, place(query.get("after")), PAGE + 1));
  }

  private Answer page(
      OperatorSession session, @Nullable String search, List<WorkspaceList.ListedWorkspace> found) {
    Instant now = clock.instant();
    boolean hasNext = found.size() > PAGE;
    List<WorkspaceList.ListedWorkspace> page = hasNext ? found.subList(0, PAGE) : found;
    Map<String, Object> parameters = new HashMap<>();
    parameters.put("frame", pages.frame(session, "Workspaces", "workspaces"));
    parameters.put("search", search == null ? "" : search);
    parameters.put(
        "rows",
        page.stream()
            .sorted(
                Comparator.comparing((WorkspaceList.ListedWorkspace each) -> !each.troubled())
                    .thenComparing(WorkspaceRow::worst))
            .map(each -> WorkspaceRow.of(each, now))
            .toList());
    parameters.put(
        "next",
        hasNext
            ? (search == null ? "" : SEARCH + "=" + FilterQuery.encoded(search) + "&")
                + "after="
                + cursor(page.get(PAGE - 1))
            : null);
    return pages.page(200, "workspaces", parameters);
  }

  private static String cursor(WorkspaceList.ListedWorkspace workspace) {
    return (workspace.troubled() ? TROUBLED : OTHERS) + workspace.id();
  }

  private static WorkspaceList.@Nullable Place place(@Nullable String cursor) {
    if (cursor == null) {
      return null;
    }
    boolean troubled = cursor.startsWith(TROUBLED);
    Optional<UUID> id =
        troubled || cursor.startsWith(OTHERS)
            ? PathIds.uuid(cursor.substring(cursor.indexOf('.') + 1))
            : Optional.empty();
    return id.map(each -> new WorkspaceList.Place(troubled, each))
        .orElseThrow(() -> new Refusal(400, "after is not the end of a page of this list"));
  }

  /** Leads to the capture's page in its workspace, or says why there is none. */
  Answer findCapture(Call call, OperatorSession session) {
    String text = FilterQuery.of(call.query(), List.of("id")).get("id");
    if (text == null) {
      return search(session, 200, "", null);
    }
    Optional<UUID> id = PathIds.uuid(text);
    if (id.isEmpty()) {
      return search(session, 400, text, FilterQuery.NO_ID);
    }
    return captures
        .find(id.get())
        .map(found ->
            Answer.seeOther(
                pages.operatorBase() + "/" + found.workspaceId() + "/captures/" + found.id()))
        .orElseGet(
            () -> search(session, 404, text, "The service never received a capture with this id."));
  }

  private Answer search(
      OperatorSession session, int status, String typed, @Nullable String problem) {
    Frame frame = pages.frame(session, "Find a capture", "captures");
    return pages.page(
        status,
        "find-capture",
        Map.of(
            "frame",
            problem == null
                ? frame
                : frame.withProblem(
                    new FormProblem(problem, Map.of("id", problem), Map.of("id", typed)))));
  }
}
