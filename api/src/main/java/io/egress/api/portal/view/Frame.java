package io.egress.api.portal.view;

import static java.util.Objects.requireNonNull;

import java.util.UUID;
import org.jspecify.annotations.Nullable;

/**
 * What all pages of a workspace have around their content.
 *
 * @param place which entry of the navigation the page belongs to
 * @param base what the paths of the workspace's pages begin with
 * @param csrf what forms send along
 * @param notice what was done
 * @param problem what could not be done
 */
public record Frame(
    String title,
    String place,
    String base,
    UUID workspaceId,
    boolean mayChange,
    @Nullable String actor,
    String csrf,
    Assets assets,
    @Nullable String notice,
    @Nullable String problem) {
  public Frame {
    requireNonNull(title, "title is null");
    requireNonNull(place, "place is null");
    requireNonNull(base, "base is null");
    requireNonNull(workspaceId, "workspaceId is null");
    requireNonNull(csrf, "csrf is null");
    requireNonNull(assets, "assets is null");
  }

  public Frame withProblem(@Nullable String text) {
    return new Frame(title, place, base, workspaceId, mayChange, actor, csrf, assets, notice, text);
  }
}
