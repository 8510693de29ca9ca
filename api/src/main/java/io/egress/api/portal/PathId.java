package io.egress.api.portal;

import io.egress.http.PathIds;
import io.egress.http.Refusal;
import io.vertx.ext.web.RoutingContext;
import java.util.UUID;

/** The id of the thing that a path names. */
final class PathId {
  private PathId() {}

  /** Throws {@link Refusal} with status 404 where it is no id. */
  static UUID of(RoutingContext exchange) {
    return PathIds.uuid(exchange.pathParam("id"))
        .orElseThrow(() -> new Refusal(404, "There is no such page."));
  }
}
