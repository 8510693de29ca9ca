package io.egress.api.pull;

import io.egress.http.Refusal;
import io.egress.stream.Cursor;
import io.vertx.core.MultiMap;
import java.util.List;
import java.util.Optional;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;

/** What a client asks of the list: how many captures, and after which cursor. */
record PageRequest(int limit, @Nullable Cursor after) {
  static final int LIMIT_MAX = 100;
  static final int LIMIT_DEFAULT = 50;

  private static final Pattern WHOLE_NUMBER = Pattern.compile("[0-9]{1,3}");

  /** Throws {@link Refusal} with status 400. */
  static PageRequest from(MultiMap query) {
    return new PageRequest(limit(query.getAll("limit")), after(query.getAll("after")));
  }

  private static int limit(List<String> given) {
    if (given.isEmpty()) {
      return LIMIT_DEFAULT;
    }
    if (given.size() == 1 && WHOLE_NUMBER.matcher(given.get(0)).matches()) {
      int limit = Integer.parseInt(given.get(0));
      if (limit >= 1 && limit <= LIMIT_MAX) {
        return limit;
      }
    }
    throw new Refusal(400, "limit must be one whole number from 1 to " + LIMIT_MAX);
  }

  private static @Nullable Cursor after(List<String> given) {
    if (given.isEmpty()) {
      return null;
    }
    Optional<Cursor> cursor = given.size() == 1 ? Cursor.decode(given.get(0)) : Optional.empty();
    return cursor.orElseThrow(PageRequest::badCursor);
  }

  static Refusal badCursor() {
    return new Refusal(
        400, "after must be one cursor, exactly as a pageInfo.endCursor of this workspace gave it");
  }

  static Refusal otherHistory() {
    return new Refusal(
        400,
        "after is a cursor of another history: it belongs to another workspace, or this workspace was"
            + " restored to an earlier state. Start again without a cursor and deduplicate by capture"
            + " id");
  }
}
