package io.egress.api.portal.access;

import io.egress.api.call.Call;
import io.egress.api.call.Calls;
import io.egress.platform.http.Refusal;
import java.util.Optional;
import java.util.UUID;

/** Admits sessions of the workspace in the path, and no others. */
final class WorkspaceGuard extends PortalGuard {
  private static final String NO_SESSION =
      "Your session has ended, or was opened for another workspace. Open the page"
          + " again from your application.";

  private final PortalStore store;

  WorkspaceGuard(Calls calls, PortalStore store, PortalAddress address) {
    super(calls, address);
    this.store = store;
  }

  @Override
  PortalSession session(Call call, boolean isUse) {
    Optional<UUID> workspaceId = call.pathId("workspace");
    return PortalCookie.read(call)
        .flatMap(token -> workspaceId.flatMap(id -> store.find(id, token, isUse)))
        .orElseThrow(() -> new Refusal(403, NO_SESSION));
  }
}
