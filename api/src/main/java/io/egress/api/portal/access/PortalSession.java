package io.egress.api.portal.access;

import static java.util.Objects.requireNonNull;

import java.util.UUID;
import org.jspecify.annotations.Nullable;

/**
 * A browser at the settings page of one workspace.
 *
 * @param actor whom the application named when it asked for the link
 * @param csrfToken what every request that changes something carries
 */
public record PortalSession(
    UUID workspaceId, PortalRole role, @Nullable String actor, String csrfToken) {
  public PortalSession {
    requireNonNull(workspaceId, "workspaceId is null");
    requireNonNull(role, "role is null");
    requireNonNull(csrfToken, "csrfToken is null");
  }

  public boolean mayChange() {
    return role == PortalRole.ADMIN;
  }

  /** The token is never printed. */
  @Override
  public String toString() {
    return "PortalSession[" + workspaceId + ", " + role.word() + "]";
  }
}
