package io.egress.api.admin.captures;

import io.egress.api.intake.CursorText;
import io.egress.api.intake.Period;
import io.egress.api.intake.QueryValues;
import io.egress.platform.http.Refusal;
import io.egress.transcript.capture.Mode;
import io.vertx.core.MultiMap;
import java.time.Instant;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/**
 * A query for captures of a workspace. Texts are compared without case, width, marks and runs of
 * white space.
 *
 * @param search only captures whose title contains this, or the one with this id
 * @param member only captures of a member with this id, or with a name that contains this
 * @param device only captures of a device with this id, or with a name that contains this
 * @param from only captures that entered the stream at or after this instant
 * @param to only captures that entered the stream before this instant
 * @param before only captures before this position
 */
public record CaptureFilter(
    @Nullable String search,
    @Nullable String member,
    @Nullable String device,
    @Nullable Mode mode,
    @Nullable Instant from,
    @Nullable Instant to,
    @Nullable Long before,
    int limit) {
  public static final int TEXT_MAX = 200;

  private static final String MODES = String.join(" or ", Mode.wireNames());

  /** Throws {@link Refusal} with status 400. */
  public static CaptureFilter from(MultiMap query) {
    Period period = Period.of(query);
    return new CaptureFilter(
        text(query, "search"),
        text(query, "member"),
        text(query, "device"),
        QueryValues.one(query, "mode", Mode::find, "must be " + MODES),
        period.from(),
        period.to(),
        QueryValues.after(query, CaptureFilter::decode),
        QueryValues.limit(query));
  }

  private static @Nullable String text(MultiMap query, String name) {
    return QueryValues.one(
        query,
        name,
        text ->
            Optional.of(text)
                .filter(given ->
                    !given.isBlank() && given.codePointCount(0, given.length()) <= TEXT_MAX),
        "must be one text of 1 to " + TEXT_MAX + " characters");
  }

  /** The cursor of a page whose last capture has this position. */
  static String cursor(long position) {
    return CursorText.encode(position);
  }

  private static Optional<Long> decode(String text) {
    return CursorText.decode(text, 1).map(numbers -> numbers[0]).filter(position -> position >= 1);
  }
}
