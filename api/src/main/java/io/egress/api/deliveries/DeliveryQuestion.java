package io.egress.api.deliveries;

import static java.util.Objects.requireNonNull;

import io.egress.api.intake.Rfc3339;
import io.egress.deliverylog.DeliveryState;
import io.egress.http.PathIds;
import io.egress.http.Refusal;
import io.vertx.core.MultiMap;
import java.time.Instant;
import java.util.Arrays;
import java.util.List;
import java.util.Optional;
import java.util.UUID;
import java.util.function.Function;
import java.util.regex.Pattern;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;

/**
 * Which deliveries somebody asks for.
 *
 * @param from only captures that entered the stream at or after it
 * @param to only captures that entered the stream before it
 * @param after only what stands behind it
 */
record DeliveryQuestion(
    @Nullable DeliveryState state,
    @Nullable UUID captureId,
    @Nullable Instant from,
    @Nullable Instant to,
    int limit,
    @Nullable DeliveryPlace after) {
  static final DeliveryQuestion EVERYTHING =
      new DeliveryQuestion(null, null, null, null, Integer.MAX_VALUE, null);

  private static final int LIMIT_MAX = 100;
  private static final int LIMIT_DEFAULT = 50;
  private static final Pattern WHOLE_NUMBER = Pattern.compile("[0-9]{1,3}");
  private static final String STATES =
      Arrays.stream(DeliveryState.values())
          .map(DeliveryState::word)
          .collect(Collectors.joining(", "));

  /** Throws {@link Refusal} with status 400. */
  static DeliveryQuestion from(MultiMap query) {
    Integer limit =
        one(
            query,
            "limit",
            DeliveryQuestion::limit,
            "must be one whole number from 1 to " + LIMIT_MAX);
    return new DeliveryQuestion(
        one(query, "state", DeliveryState::find, "must be one of " + STATES),
        one(query, "capture_id", PathIds::uuid, "must be one UUID"),
        one(query, "from", Rfc3339::read, "must be one instant such as 2026-01-31T09:30:00Z"),
        one(query, "to", Rfc3339::read, "must be one instant such as 2026-01-31T09:30:00Z"),
        limit == null ? LIMIT_DEFAULT : limit,
        one(
            query,
            "after",
            DeliveryPlace::decode,
            "must be one cursor, exactly as a pageInfo.endCursor of this list gave it"));
  }

  private static <T> @Nullable T one(
      MultiMap query, String name, Function<String, Optional<T>> reader, String rule) {
    List<String> given = query.getAll(name);
    if (given.isEmpty()) {
      return null;
    }
    Optional<T> value = given.size() == 1 ? reader.apply(given.get(0)) : Optional.empty();
    return value.orElseThrow(() -> new Refusal(400, name + " " + rule));
  }

  private static Optional<Integer> limit(String text) {
    return Optional.of(requireNonNull(text, "text is null"))
        .filter(given -> WHOLE_NUMBER.matcher(given).matches())
        .map(Integer::valueOf)
        .filter(limit -> limit >= 1 && limit <= LIMIT_MAX);
  }
}
