package io.egress.api.intake;

import io.egress.platform.http.Refusal;
import io.vertx.core.MultiMap;
import java.time.Instant;
import java.util.List;
import java.util.Optional;
import java.util.function.Function;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;

/**
 * The parameters of a query, null if absent. Each reader throws {@link Refusal} for an invalid
 * value.
 */
public final class QueryValues {
  /** The maximum of a page. */
  public static final int LIMIT_MAX = 100;

  /** Completes the message "after must be ...". */
  public static final String OWN_CURSOR =
      "must be one cursor, exactly as a pageInfo.endCursor of this list gave it";

  private static final int LIMIT_DEFAULT = 50;
  private static final int LARGE_LIMIT_MAX = 1_000;
  private static final Pattern WHOLE_NUMBER = Pattern.compile("[0-9]{1,9}");

  private QueryValues() {}

  /** {@code rule} completes the message "must be ...". */
  public static <T> @Nullable T one(
      MultiMap query, String name, Function<String, Optional<T>> reader, String rule) {
    List<String> given = query.getAll(name);
    if (given.isEmpty()) {
      return null;
    }
    Optional<T> value = given.size() == 1 ? reader.apply(given.get(0)) : Optional.empty();
    return value.orElseThrow(() -> new Refusal(400, name + " " + rule));
  }

  /** The size of a page that has everything of an ordinary workspace. */
  public static int largeLimit(MultiMap query) {
    Integer limit = limit(query, LARGE_LIMIT_MAX);
    return limit == null ? LARGE_LIMIT_MAX : limit;
  }

  /** The place that a page of a list in the order of creation begins after. */
  public static CreationPlace afterCreated(MultiMap query) {
    CreationPlace after = after(query, CreationPlace::decode);
    return after == null ? CreationPlace.FIRST : after;
  }

  /** The cursor that a page begins after. */
  public static <T> @Nullable T after(MultiMap query, Function<String, Optional<T>> reader) {
    return one(query, "after", reader, OWN_CURSOR);
  }

  /** The page size. */
  public static int limit(MultiMap query) {
    Integer limit = limit(query, LIMIT_MAX);
    return limit == null ? LIMIT_DEFAULT : limit;
  }

  public static @Nullable Integer limit(MultiMap query, int max) {
    return one(
        query,
        "limit",
        text ->
            Optional.of(text)
                .filter(given -> WHOLE_NUMBER.matcher(given).matches())
                .map(Integer::valueOf)
                .filter(limit -> limit >= 1 && limit <= max),
        "must be one whole number from 1 to " + max);
  }

  public static @Nullable Instant instant(MultiMap query, String name) {
    return one(query, name, Rfc3339::read, "must be one instant such as 2026-01-31T09:30:00Z");
  }
}
