package io.egress.http;

import io.vertx.core.MultiMap;
import java.util.List;
import java.util.Optional;
import java.util.function.Function;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;

/** Parameters that a query may have once. */
public final class QueryParameters {
  public static final int LIMIT_MAX = 100;
  public static final int LIMIT_DEFAULT = 50;

  private static final Pattern WHOLE_NUMBER = Pattern.compile("[0-9]{1,3}");

  private QueryParameters() {}

  /**
   * Null where it is not given. Throws {@link Refusal} with status 400, whose message is {@code
   * rule} after the name, for what {@code reader} does not read and for what is given twice.
   */
  public static <T> @Nullable T one(
      MultiMap query, String name, Function<String, Optional<T>> reader, String rule) {
    List<String> given = query.getAll(name);
    if (given.isEmpty()) {
      return null;
    }
    Optional<T> value = given.size() == 1 ? reader.apply(given.get(0)) : Optional.empty();
    return value.orElseThrow(() -> new Refusal(400, name + " " + rule));
  }

  /** The size of a page. Throws {@link Refusal} with status 400. */
  public static int limit(MultiMap query) {
    Integer limit =
        one(
            query,
            "limit",
            QueryParameters::limit,
            "must be one whole number from 1 to " + LIMIT_MAX);
    return limit == null ? LIMIT_DEFAULT : limit;
  }

  private static Optional<Integer> limit(String text) {
    return WHOLE_NUMBER.matcher(text).matches()
        ? Optional.of(Integer.valueOf(text)).filter(limit -> limit >= 1 && limit <= LIMIT_MAX)
        : Optional.empty();
  }
}
