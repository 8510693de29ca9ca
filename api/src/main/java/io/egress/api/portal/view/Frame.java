package io.egress.api.portal.view;

import static java.util.Objects.requireNonNull;

import io.egress.api.portal.access.Ended;
import java.time.Instant;
import java.util.UUID;
import org.jspecify.annotations.Nullable;

/**
 * The parts common to all pages of a session.
 *
 * @param place the selected entry of the navigation
 * @param base the common prefix of the workspace's pages, or of an operator's own
 * @param home the common prefix of all pages of the session; for an operator, not that of a
 *     workspace
 * @param workspaceId null on an operator's own pages
 * @param workspaceName null if it has none
 * @param end null unless the workspace has ended
 * @param role in words
 * @param csrf the token that forms send
 * @param shownAt when the page was made, by the service's clock
 * @param troubles the banner that says what is wrong with the service itself
 * @param notice the message after a successful action
 * @param problem the message after a failed one
 */
public record Frame(
    String title,
    String place,
    String base,
    String home,
    @Nullable UUID workspaceId,
    @Nullable String workspaceName,
    @Nullable Ended end,
    String role,
    boolean mayChange,
    @Nullable String actor,
    String csrf,
    Assets assets,
    Instant shownAt,
    Troubles troubles,
    @Nullable String notice,
    @Nullable FormProblem problem) {
  public Frame {
    requireNonNull(title, "title is null");
    requireNonNull(place, "place is null");
    requireNonNull(base, "base is null");
    requireNonNull(home, "home is null");
    requireNonNull(role, "role is null");
    requireNonNull(csrf, "csrf is null");
    requireNonNull(assets, "assets is null");
    requireNonNull(shownAt, "shownAt is null");
    requireNonNull(troubles, "troubles is null");
  }

  public Frame withProblem(@Nullable FormProblem other) {
    return new Frame(
        title,
        place,
        base,
        home,
        workspaceId,
        workspaceName,
        end,
        role,
        mayChange,
        actor,
        csrf,
        assets,
        shownAt,
        troubles,
        notice,
        other);
  }

  /** Whether an operator is on the pages of a workspace. */
  public boolean isVisit() {
    return !base.equals(home);
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

  /** Whether the form that was not accepted has this field. */
  public boolean isTyped(String field) {
    return problem != null && problem.typed().containsKey(field);
  }

  /** Whether a box was checked in a form that was not accepted, or is to be. */
  public boolean isChecked(String field, boolean otherwise) {
    return problem == null ? otherwise : problem.typed().containsKey(field);
  }
}
