package io.egress.api.portal.access;

import io.egress.api.call.Answer;
import io.egress.api.call.Call;
import io.vertx.core.http.Cookie;
import java.util.Optional;
import java.util.UUID;
import org.jspecify.annotations.Nullable;

/**
 * The session cookie. Its path is that of the workspace's pages, so that sessions of several
 * workspaces are separate; that of an operator's session is the one of operators' pages, below
 * which each workspace has its pages, too.
 */
final class PortalCookie {
  private static final String SET = "set-cookie";
  private static final String NAME = "egress_portal";
  private static final long AGE_MAX_SECONDS = 8 * 60 * 60;

  private final PortalAddress address;

  PortalCookie(PortalAddress address) {
    this.address = address;
  }

  static Optional<PortalToken> read(Call call) {
    Cookie cookie = call.request().getCookie(NAME);
    return PortalToken.read(cookie == null ? null : cookie.getValue());
  }

  /** The answer that begins the session; {@code workspaceId} is null for one of an operator. */
  Answer set(Answer answer, @Nullable UUID workspaceId, PortalToken token) {
    return answer.with(SET, value(workspaceId, token.text(), AGE_MAX_SECONDS));
  }

  Answer remove(Answer answer, @Nullable UUID workspaceId) {
    return answer.with(SET, value(workspaceId, "", 0));
  }

  /**
   * Inside another site's frame, browsers keep a cookie only with all three attributes. Pages of
   * operators are never in a frame.
   */
  private String value(@Nullable UUID workspaceId, String value, long ageMax) {
    String place =
        workspaceId == null || address.ancestors().isEmpty()
            ? (address.isSecure() ? "; Secure" : "") + "; SameSite=Lax"
            : "; Secure; SameSite=None; Partitioned";
    return NAME
        + "="
        + value
        + "; Path="
        + (workspaceId == null ? address.operator() : address.workspace(workspaceId))
        + "; Max-Age="
        + ageMax
        + "; HttpOnly"
        + place;
  }
}
