package io.egress.api.admin.deliveries;

import io.egress.platform.json.UtcInstant;
import io.egress.webhook.deliverylog.LoggedAttempt;
import io.egress.webhook.deliverylog.LoggedDelivery;
import io.egress.webhook.endpoint.DeliveryId;
import io.vertx.core.json.JsonArray;
import io.vertx.core.json.JsonObject;
import java.time.Instant;
import java.util.UUID;
import org.jspecify.annotations.Nullable;

/** Deliveries as the internal API shows them. */
final class DeliveryView {
  private DeliveryView() {}

  static JsonObject of(LoggedDelivery delivery) {
    return new JsonObject()
        .put("id", delivery.id().toString())
        .put("endpoint_id", delivery.endpointId().toString())
        .put("capture_id", delivery.captureId().toString())
        .put("position", delivery.position())
        .put("replay_id", text(delivery.replayId()))
        .put("redelivery_of", text(firstOf(delivery)))
        .put("origin", delivery.origin().word())
        .put("state", delivery.state().word())
        .put("attempts", delivery.attempts())
        .put("last_outcome", delivery.lastOutcome())
        .put("next_attempt_at", time(delivery.nextAttemptAt()))
        .put("owed_at", time(delivery.owedAt()))
        .put("updated_at", time(delivery.updatedAt()));
  }

  static JsonObject of(DeliveryReads.Told told) {
    JsonArray attempts = new JsonArray();
    told.attempts().forEach(attempt -> attempts.add(of(told, attempt)));
    JsonArray others = new JsonArray();
    told.others().forEach(other -> others.add(of(other)));
    return of(told.delivery()).put("redeliveries", others).put("attempt_log", attempts);
  }

  /** The redelivery of {@code delivery}, which has not been published yet. */
  static JsonObject redelivery(LoggedDelivery delivery, UUID replayId) {
    return new JsonObject()
        .put("id", DeliveryId.inReplay(replayId, delivery.captureId()).toString())
        .put("replay_id", replayId.toString())
        .put(
            "redelivery_of", DeliveryId.of(delivery.endpointId(), delivery.captureId()).toString());
  }

  private static JsonObject of(DeliveryReads.Told told, LoggedAttempt attempt) {
    return new JsonObject()
        .put("attempt", attempt.number())
        .put("is_body_known", told.isBodyKnown(attempt.made()))
        .mergeIn(AttemptView.of(told.delivery().id(), attempt.made()));
  }

  /** Null for a first delivery. */
  private static @Nullable UUID firstOf(LoggedDelivery delivery) {
    return delivery.replayId() == null
        ? null
        : DeliveryId.of(delivery.endpointId(), delivery.captureId());
  }

  private static @Nullable String text(@Nullable UUID id) {
    return id == null ? null : id.toString();
  }

  private static @Nullable String time(@Nullable Instant instant) {
    return instant == null ? null : UtcInstant.format(instant);
  }
}
