package io.egress.api.admin.replays;

import io.egress.transcript.document.UtcInstant;
import io.egress.webhook.deliverylog.DeliveryState;
import io.vertx.core.json.JsonObject;
import java.time.Instant;
import java.util.Locale;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/** Replays as the internal API shows them. */
final class ReplayView {
  private ReplayView() {}

  static JsonObject of(Replay replay) {
    return new JsonObject()
        .put("id", replay.id().toString())
        .put("endpoint_id", replay.endpointId().toString())
        .put("origin", replay.origin().word())
        .put("only", replay.onlyUndelivered() ? "undelivered" : null)
        .put("from_position", replay.firstPosition())
        .put("to_position", replay.lastPosition())
        .put("next_position", replay.nextPosition())
        .put("published", replay.published())
        .put("state", replay.state().name().toLowerCase(Locale.ROOT))
        .put("created_by", replay.createdBy())
        .put("created_at", UtcInstant.format(replay.createdAt()))
        .put("finished_at", time(replay.finishedAt()))
        .put("cancelled_at", time(replay.canceledAt()));
  }

  /** {@code outcomes} is null if they cannot be distinguished from other deliveries'. */
  static JsonObject of(Replay replay, @Nullable Map<DeliveryState, Long> outcomes) {
    return of(replay).put("deliveries", outcomes == null ? null : counts(outcomes));
  }

  private static JsonObject counts(Map<DeliveryState, Long> outcomes) {
    JsonObject counts = new JsonObject();
    outcomes.forEach((state, count) -> counts.put(state.word(), count));
    return counts;
  }

  private static @Nullable String time(@Nullable Instant instant) {
    return instant == null ? null : UtcInstant.format(instant);
  }
}
