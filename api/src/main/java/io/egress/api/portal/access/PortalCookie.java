package io.egress.api.portal.access;

import static java.util.Objects.requireNonNull;

import io.vertx.core.http.Cookie;
import io.vertx.core.http.HttpHeaders;
import io.vertx.ext.web.RoutingContext;
import java.util.Optional;
import java.util.UUID;

/**
 * The session cookie. Its path is that of the workspace's pages, so that sessions of several
 * workspaces are separate.
 */
final class PortalCookie {
  private static final String NAME = "egress_portal";
  private static final long AGE_MAX_SECONDS = 8 * 60 * 60;

  private final PortalAddress address;

  PortalCookie(PortalAddress address) {
    this.address = requireNonNull(address, "address is null");
  }

  static Optional<PortalToken> read(RoutingContext exchange) {
    Cookie cookie = exchange.request().getCookie(NAME);
    return PortalToken.read(cookie == null ? null : cookie.getValue());
  }

  void set(RoutingContext exchange, UUID workspaceId, PortalToken token) {
    add(exchange, workspaceId, token.text(), AGE_MAX_SECONDS);
  }

  void remove(RoutingContext exchange, UUID workspaceId) {
    add(exchange, workspaceId, "", 0);
  }

  /** Inside another site's frame, browsers keep a cookie only with all three attributes. */
  private void add(RoutingContext exchange, UUID workspaceId, String value, long ageMax) {
    String place =
        address.ancestors().isEmpty()
            ? (address.isSecure() ? "; Secure" : "") + "; SameSite=Lax"
            : "; Secure; SameSite=None; Partitioned";
    exchange
        .response()
        .headers()
        .add(
            HttpHeaders.SET_COOKIE,
            NAME
                + "="
                + value
                + "; Path="
                + address.workspace(workspaceId)
                + "; Max-Age="
                + ageMax
                + "; HttpOnly"
                + place);
  }
}
