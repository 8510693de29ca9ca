package io.egress.api.pull;

import io.egress.api.intake.QueryValues;
import io.egress.http.Refusal;
import io.egress.stream.Cursor;
import io.vertx.core.MultiMap;
import java.util.List;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/** The parameters of the list: number of captures and cursor. */
record PageRequest(int limit, @Nullable Cursor after) {
  /** Throws {@link Refusal} with status 400. */
  static PageRequest from(MultiMap query) {
    return new PageRequest(QueryValues.limit(query), after(query.getAll("after")));
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
