package io.egress.api.portal;

import io.vertx.ext.web.RoutingContext;
import java.util.Objects;

/**
 * A part of a page that asks for itself again and again. It names what it shows by a hash, so that
 * nothing is sent, and nothing changes under the reader's hands, while that stays as it is.
 */
final class LivePart {
  private static final String SEEN = "seen";

  private LivePart() {}

  /** {@code query} is what tells it from others of its kind, empty or ending with an ampersand. */
  static String path(String path, String query, Object shown) {
    return path + "?" + query + SEEN + "=" + hash(shown);
  }

  static boolean isSeen(RoutingContext exchange, Object shown) {
    return Objects.equals(exchange.queryParams().get(SEEN), hash(shown));
  }

  private static String hash(Object shown) {
    return Integer.toHexString(shown.hashCode());
  }
}
