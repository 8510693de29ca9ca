package io.egress.api.portal.view;

import static java.util.Objects.requireNonNull;

import java.util.UUID;
import org.jspecify.annotations.Nullable;

/**
 * The parts common to all pages of a workspace.
 *
 * @param place the selected entry of the navigation
 * @param base the common prefix of the workspace's pages
 * @param workspaceName null if it has none
 * @param csrf the token that forms send
 * @param notice the message after a successful action
 * @param problem the message after a failed one
 */
public record Frame(
    String title,
    String place,
    String base,
    UUID workspaceId,
    @Nullable String workspaceName,
    boolean mayChange,
    @Nullable String actor,
    String csrf,
    Assets assets,
    @Nullable String notice,
    @Nullable FormProblem problem) {
  public Frame {
    requireNonNull(title, "title is null");
    requireNonNull(place, "place is null");
    requireNonNull(base, "base is null");
    requireNonNull(workspaceId, "workspaceId is null");
    requireNonNull(csrf, "csrf is null");
    requireNonNull(assets, "assets is null");
  }

  public Frame withProblem(@Nullable FormProblem other) {
    return new Frame(
        title,
        place,
        base,
        workspaceId,
        workspaceName,
        mayChange,
        actor,
        csrf,
        assets,
        notice,
        other);
  }

  /** What is wrong with a field of the form; null if nothing is. */
  public @Nullable String problem(String field) {
    return problem == null ? null : problem.fields().get(field);
  }

  /** What was typed into a field of a form that was not accepted. */
  public String typed(String field, @Nullable String otherwise) {
    String value = otherwise == null ? "" : otherwise;
    return problem == null ? value : problem.typed().getOrDefault(field, value);
  }
}
