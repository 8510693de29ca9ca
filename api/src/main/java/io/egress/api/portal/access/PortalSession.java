package io.egress.api.portal.access;

import static java.util.Objects.requireNonNull;

import java.util.UUID;
import org.jspecify.annotations.Nullable;

/**
 * A browser's session on the settings page of one workspace. That of an operator may be on the
 * pages of others at the same time.
 *
 * @param workspaceName null if it has none
 * @param end null unless the workspace has ended, which only operators' sessions outlive
 * @param actor the user, as named by the application that requested the link
 * @param csrfToken required in every request that changes something
 */
public record PortalSession(
    UUID workspaceId,
    @Nullable String workspaceName,
    @Nullable Ended end,
    PortalRole role,
    @Nullable String actor,
    String csrfToken) {
  public PortalSession {
    requireNonNull(workspaceId, "workspaceId is null");
    requireNonNull(role, "role is null");
    requireNonNull(csrfToken, "csrfToken is null");
  }

  public boolean mayChange() {
    return role != PortalRole.VIEW && end == null;
  }

  public boolean isOperator() {
    return role == PortalRole.OPERATOR;
  }

  /** Tokens are never printed. */
  @Override
  public String toString() {
    return "PortalSession[" + workspaceId + ", " + role.word() + "]";
  }
}
