package io.egress.api.portal.access;

import io.egress.api.call.Call;
import io.egress.platform.audit.Caller;
import io.egress.platform.http.Refusal;
import io.vertx.core.MultiMap;
import java.util.UUID;

/**
 * A request to a page of a workspace, of a session that may see it.
 *
 * @param form what was submitted; empty unless the page was asked to change something
 */
public record Visit(Call call, PortalSession session, PortalForm form) {
  public UUID workspaceId() {
    return session.workspaceId();
  }

  /** The id in the path. */
  public UUID id() {
    return call.pathId("id").orElseThrow(() -> new Refusal(404, "There is no such page."));
  }

  public MultiMap query() {
    return call.query();
  }

  public Caller caller() {
    return call.caller(session.actor());
  }
}
