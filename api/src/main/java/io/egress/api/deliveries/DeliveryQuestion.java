package io.egress.api.deliveries;

import static io.egress.http.QueryParameters.one;

import io.egress.api.intake.Rfc3339;
import io.egress.deliverylog.DeliveryState;
import io.egress.http.PathIds;
import io.egress.http.QueryParameters;
import io.egress.http.Refusal;
import io.vertx.core.MultiMap;
import java.time.Instant;
import java.util.Arrays;
import java.util.UUID;
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

  private static final String STATES =
      Arrays.stream(DeliveryState.values())
          .map(DeliveryState::word)
          .collect(Collectors.joining(", "));

  /** Throws {@link Refusal} with status 400. */
  static DeliveryQuestion from(MultiMap query) {
    return new DeliveryQuestion(
        one(query, "state", DeliveryState::find, "must be one of " + STATES),
        one(query, "capture_id", PathIds::uuid, "must be one UUID"),
        one(query, "from", Rfc3339::read, "must be one instant such as 2026-01-31T09:30:00Z"),
        one(query, "to", Rfc3339::read, "must be one instant such as 2026-01-31T09:30:00Z"),
        QueryParameters.limit(query),
        one(
            query,
            "after",
            DeliveryPlace::decode,
            "must be one cursor, exactly as a pageInfo.endCursor of this list gave it"));
  }
}
