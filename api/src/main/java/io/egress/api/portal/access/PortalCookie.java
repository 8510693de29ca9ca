package io.egress.api.portal.access;

import io.vertx.core.http.Cookie;
import io.vertx.core.http.HttpHeaders;
import io.vertx.ext.web.RoutingContext;
import java.util.Optional;
import java.util.UUID;
import org.jspecify.annotations.Nullable;

/**
 * The session cookie. Its path is that of the workspace's pages, so that sessions of several
 * workspaces are separate; that of an operator's session is the one of operators' pages, below
 * which each workspace has its pages, too.
 */
final class PortalCookie {
  private static final String NAME = "egress_portal";
  private static final long AGE_MAX_SECONDS = 8 * 60 * 60;

  private final PortalAddress address;

  PortalCookie(PortalAddress address) {
    this.address = address;
  }

  static Optional<PortalToken> read(RoutingContext ctx) {
    Cookie cookie = ctx.request().getCookie(NAME);
    return PortalToken.read(cookie == null ? null : cookie.getValue());
  }

  /** {@code workspaceId} is null for a session of an operator. */
  void set(RoutingContext ctx, @Nullable UUID workspaceId, PortalToken token) {
    add(ctx, workspaceId, token.text(), AGE_MAX_SECONDS);
  }

  void remove(RoutingContext ctx, @Nullable UUID workspaceId) {
    add(ctx, workspaceId, "", 0);
  }

  /**
   * Inside another site's frame, browsers keep a cookie only with all three attributes. Pages of
   * operators are never in a frame.
   */
  private void add(RoutingContext ctx, @Nullable UUID workspaceId, String value, long ageMax) {
    String place =
        workspaceId == null || address.ancestors().isEmpty()
            ? (address.isSecure() ? "; Secure" : "") + "; SameSite=Lax"
            : "; Secure; SameSite=None; Partitioned";
    ctx.response()
        .headers()
        .add(
            HttpHeaders.SET_COOKIE,
            NAME
                + "="
                + value
                + "; Path="
                + (workspaceId == null ? address.operator() : address.workspace(workspaceId))
                + "; Max-Age="
                + ageMax
                + "; HttpOnly"
                + place);
  }
}
