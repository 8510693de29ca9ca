package io.egress.api.pull;

import io.egress.api.intake.QueryValues;
import io.egress.api.intake.Rfc3339;
import io.egress.platform.http.Refusal;
import io.egress.transcript.stream.Cursor;
import io.egress.transcript.stream.Feed;
import io.vertx.core.MultiMap;
import io.vertx.ext.web.MIMEHeader;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.Optional;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;

/**
 * What a request for a page asks for.
 *
 * @param lines whether it wants the whole rest of the feed, one entry a line
 * @param limit the entries of a page
 * @param start where a reader without a cursor starts, unless that is the beginning
 * @param holdMax how long an empty page is held
 */
record PageRequest(
    Feed feed,
    boolean lines,
    int limit,
    @Nullable Cursor after,
    @Nullable Start start,
    Duration holdMax) {
  /** {@code at} is null for the time of the request. */
  record Start(@Nullable Instant at) {
    private static final String NOW = "now";

    private static Optional<Start> read(String text) {
      return text.equals(NOW) ? Optional.of(new Start(null)) : Rfc3339.read(text).map(Start::new);
    }
  }

  private static final String NDJSON = "x-ndjson";
  private static final int WAIT_SECONDS_MAX = 30;
  private static final Pattern SECONDS = Pattern.compile("[0-9]{1,2}");

  /** Throws {@link Refusal} with status 400. */
  static PageRequest from(Feed feed, MultiMap query, List<MIMEHeader> accept) {
    boolean lines = weight(accept, NDJSON) > weight(accept, "json");
    if (lines && query.contains("limit")) {
      throw new Refusal(
          400,
          "limit is for pages: with application/x-ndjson, the answer is everything after"
              + " the cursor");
    }
    Start start =
        QueryValues.one(
            query,
            "start",
            Start::read,
            "must be now, or one instant such as 2026-01-31T09:30:00Z");
    if (start != null && query.contains("after")) {
      throw new Refusal(400, "start is for the first request: after says where to go on");
    }
    return new PageRequest(
        feed,
        lines,
        lines ? QueryValues.LIMIT_MAX : QueryValues.limit(query),
        after(query.getAll("after")),
        start,
        holdMax(query));
  }

  /** Clients that name both and prefer none get what they got before there were lines. */
  private static float weight(List<MIMEHeader> accept, String subtype) {
    float weight = 0;
    for (MIMEHeader type : accept) {
      if (type.component().equals("application") && type.subComponent().equals(subtype)) {
        weight = Math.max(weight, type.weight());
      }
    }
    return weight;
  }

  /** For the page that follows. */
  PageRequest continuedAfter(Cursor end) {
    return new PageRequest(feed, lines, limit, end, null, Duration.ZERO);
  }

  /** Where {@link #start} is. */
  PageRequest startingAfter(Cursor place) {
    return new PageRequest(feed, lines, limit, place, start, holdMax);
  }

  /** Where the reader goes on after an empty page; null if it knows that already. */
  @Nullable Cursor endOfNothing() {
    return start == null ? null : after;
  }

  private static Duration holdMax(MultiMap query) {
    Duration wait =
        QueryValues.one(
            query,
            "wait",
            text ->
                Optional.of(text)
                    .filter(given -> SECONDS.matcher(given).matches())
                    .map(Integer::valueOf)
                    .filter(seconds -> seconds <= WAIT_SECONDS_MAX)
                    .map(Duration::ofSeconds),
            "must be one whole number of seconds from 0 to " + WAIT_SECONDS_MAX);
    return wait == null ? Duration.ZERO : wait;
  }

  static @Nullable Cursor after(List<String> given) {
    if (given.isEmpty()) {
      return null;
    }
    Optional<Cursor> cursor = given.size() == 1 ? Cursor.decode(given.get(0)) : Optional.empty();
    return cursor.orElseThrow(() ->
        Cursor.isNewer(given.get(0))
            ? new Refusal(
                400,
                "after is a cursor of a newer release of this service, which this one cannot read: ask the"
                    + " newer one")
            : badCursor());
  }

  static Refusal badCursor() {
    return new Refusal(400, "after " + QueryValues.OWN_CURSOR);
  }

  static Refusal otherHistory() {
    return new Refusal(
        400,
        "after is a cursor of another history: it belongs to another workspace or list, or this workspace"
            + " was restored to an earlier state. Start again without a cursor and deduplicate by capture"
            + " id");
  }
}
