package io.egress.api.deliveries;

import io.egress.api.intake.QueryValues;
import io.egress.deliverylog.DeliveryState;
import io.egress.http.PathIds;
import io.egress.http.Refusal;
import io.vertx.core.MultiMap;
import java.time.Instant;
import java.util.Arrays;
import java.util.UUID;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;

/**
 * A query for deliveries.
 *
 * @param from only captures that entered the stream at or after this instant
 * @param to only captures that entered the stream before this instant
 * @param after only deliveries after this position
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

  private static final String STATES =
      Arrays.stream(DeliveryState.values())
          .map(DeliveryState::word)
          .collect(Collectors.joining(", "));

  /** Throws {@link Refusal} with status 400. */
  static DeliveryQuestion from(MultiMap query) {
    return new DeliveryQuestion(
        QueryValues.one(query, "state", DeliveryState::find, "must be one of " + STATES),
        QueryValues.one(query, "capture_id", PathIds::uuid, "must be one UUID"),
        QueryValues.instant(query, "from"),
        QueryValues.instant(query, "to"),
        QueryValues.limit(query),
        QueryValues.one(
            query,
            "after",
            DeliveryPlace::decode,
            "must be one cursor, exactly as a pageInfo.endCursor of this list gave it"));
  }
}
