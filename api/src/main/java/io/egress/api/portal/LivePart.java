package io.egress.api.portal;

import io.vertx.ext.web.RoutingContext;
import java.util.Objects;

/**
 * A part of a page that polls for updates. The request has a hash of what is shown, so that an
 * unchanged part is not sent again and does not move under the reader's pointer.
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
