package io.egress.api.portal;

import io.egress.platform.http.PathIds;
import io.egress.platform.http.Refusal;
import io.vertx.ext.web.RoutingContext;
import java.util.UUID;

/** An id in a path. */
final class PathId {
  private PathId() {}

  /** Throws {@link Refusal} with status 404 if it is not an id. */
  static UUID of(RoutingContext ctx) {
    return PathIds.uuid(ctx.pathParam("id"))
        .orElseThrow(() -> new Refusal(404, "There is no such page."));
  }
}
