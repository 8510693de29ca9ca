package io.egress.api.admin.deliveries;

import io.egress.api.admin.captures.CaptureFilter;
import io.egress.api.intake.Period;
import io.egress.api.intake.QueryValues;
import io.egress.platform.http.PathIds;
import io.egress.platform.http.Refusal;
import io.egress.webhook.deliverylog.DeliveryState;
import io.egress.webhook.send.FailureKind;
import io.vertx.core.MultiMap;
import java.time.Instant;
import java.util.Arrays;
import java.util.List;
import java.util.Optional;
import java.util.UUID;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/**
 * A query for deliveries.
 *
 * @param outcome only deliveries whose last attempt ended so
 * @param title only of captures whose title contains this, in any case
 * @param from only captures that entered the stream at or after this instant
 * @param to only captures that entered the stream before this instant
 * @param after only deliveries after this position
 */
record DeliveryFilter(
    @Nullable DeliveryState state,
    @Nullable UUID captureId,
    @Nullable String outcome,
    @Nullable String title,
    @Nullable Instant from,
    @Nullable Instant to,
    int limit,
    @Nullable DeliveryCursor after) {
  static final DeliveryFilter EVERYTHING =
      new DeliveryFilter(null, null, null, null, null, null, Integer.MAX_VALUE, null);

  private static final String STATES =
      Arrays.stream(DeliveryState.values())
          .map(DeliveryState::word)
          .collect(Collectors.joining(", "));

  /** What the last attempt of a delivery may have ended with. */
  static final List<String> OUTCOMES =
      Stream.concat(
              Stream.of(DeliveryState.DELIVERED.word()),
              Arrays.stream(FailureKind.values()).map(FailureKind::word))
          .toList();

  static DeliveryFilter ofCapture(UUID captureId) {
    return new DeliveryFilter(null, captureId, null, null, null, null, Integer.MAX_VALUE, null);
  }

  /** Whether it reads more of the stream than it returns. */
  boolean isNarrow() {
    return outcome != null || title != null;
  }

  private static boolean isTitle(String text) {
    return !text.isBlank() && text.codePointCount(0, text.length()) <= CaptureFilter.TEXT_MAX;
  }

  /** Throws {@link Refusal} with status 400. */
  static DeliveryFilter from(MultiMap query) {
    Period period = Period.of(query);
    return new DeliveryFilter(
        QueryValues.one(query, "state", DeliveryState::find, "must be one of " + STATES),
        QueryValues.one(query, "capture_id", PathIds::uuid, "must be one UUID"),
        QueryValues.one(
            query,
            "outcome",
            text -> Optional.of(text).filter(OUTCOMES::contains),
            "must be one of " + String.join(", ", OUTCOMES)),
        QueryValues.one(
            query,
            "title",
            text -> Optional.of(text).filter(DeliveryFilter::isTitle),
            "must be one text of 1 to " + CaptureFilter.TEXT_MAX + " characters"),
        period.from(),
        period.to(),
        QueryValues.limit(query),
        QueryValues.after(query, DeliveryCursor::decode));
  }
}
