package io.egress.api.portal.access;

import io.egress.platform.http.Refusal;
import io.vertx.core.Future;
import io.vertx.ext.web.RoutingContext;
import java.util.Optional;
import java.util.UUID;

/** Admits sessions of the workspace in the path, and no others. */
final class WorkspaceGuard extends PortalGuard {
  private static final String NO_SESSION =
      "Your session has ended, or was opened for another workspace. Open the page"
          + " again from your application.";

  private final PortalStore store;

  WorkspaceGuard(PortalStore store, PortalAddress address) {
    super(address);
    this.store = store;
  }

  @Override
  Future<PortalSession> session(RoutingContext ctx, boolean isUse) {
    Optional<UUID> workspaceId = workspaceId(ctx);
    Optional<PortalToken> token = PortalCookie.read(ctx);
    if (workspaceId.isEmpty() || token.isEmpty()) {
      return Future.failedFuture(new Refusal(403, NO_SESSION));
    }
    return store
        .find(workspaceId.get(), token.get(), isUse)
        .map(found -> found.orElseThrow(() -> new Refusal(403, NO_SESSION)));
  }
}
