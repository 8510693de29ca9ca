package io.egress.api.portal.access;

import static java.util.Objects.requireNonNull;

import java.util.UUID;
import org.jspecify.annotations.Nullable;

/**
 * A browser's session of an operator, who sees all workspaces.
 *
 * @param actor the operator, as named in the audit log
 * @param csrfToken required in every request that changes something
 */
public record OperatorSession(String actor, String csrfToken) {
  public OperatorSession {
    requireNonNull(actor, "actor is null");
    requireNonNull(csrfToken, "csrfToken is null");
  }

  /** The session on the pages of one workspace. */
  PortalSession at(UUID workspaceId, @Nullable String name, @Nullable Ended end) {
    return new PortalSession(workspaceId, name, end, PortalRole.OPERATOR, actor, csrfToken);
  }

  /** Tokens are never printed. */
  @Override
  public String toString() {
    return "OperatorSession[" + actor + "]";
  }
}
