package io.egress.api.portal;

import io.vertx.core.MultiMap;
import java.util.Objects;

/**
 * A part of a page that polls for updates. The request contains a hash of what is shown, so an
 * unchanged part is not sent again and does not move under the reader's pointer.
 */
final class LivePart {
  private static final String SEEN = "seen";

  private LivePart() {}

  /** {@code query} selects the content; it is empty or ends with an ampersand. */
  static String path(String path, String query, Object shown) {
    return path + "?" + query + SEEN + "=" + hash(shown);
  }

  static boolean isSeen(MultiMap query, Object shown) {
    return Objects.equals(query.get(SEEN), hash(shown));
  }

  private static String hash(Object shown) {
    return Integer.toHexString(shown.hashCode());
  }
}
