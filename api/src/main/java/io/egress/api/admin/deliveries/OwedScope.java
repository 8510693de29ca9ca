package io.egress.api.admin.deliveries;

import io.egress.webhook.delivery.Delivery.Origin;
import io.egress.webhook.deliverylog.LoggedDelivery;
import io.egress.webhook.endpoint.DeliveryId;
import io.egress.webhook.endpoint.Endpoint;
import java.time.Instant;
import java.util.List;
import java.util.Optional;
import java.util.UUID;

/**
 * A set of endpoints, sorted by their ids, and the positions above {@code low} and up to {@code
 * high}.
 */
record OwedScope(UUID workspaceId, List<OwedScope.Owing> endpoints, long low, long high) {
  /**
   * An endpoint, and the captures owed to it that the delivery log still covers.
   *
   * @param liveAbove captures above this position are live ones
   * @param historyKept whether captures from before the endpoint was created are owed, too
   */
  record Owing(Endpoint endpoint, long liveAbove, boolean historyKept) {
    /**
     * {@code since} is when the log begins; {@code sincePosition} is the newest position before
     * that.
     */
    static Owing of(Endpoint endpoint, Instant since, long sincePosition) {
      return new Owing(
          endpoint,
          Math.max(endpoint.createdPosition(), sincePosition),
          endpoint.fullHistory() && !endpoint.createdAt().isBefore(since));
    }

    UUID endpointId() {
      return endpoint.id();
    }

    long low() {
      return historyKept ? 0 : liveAbove;
    }

    Optional<LoggedDelivery> owed(long position, UUID captureId, Instant enteredAt) {
      boolean history = position <= endpoint.createdPosition();
      if (history ? !historyKept : position <= liveAbove) {
        return Optional.empty();
      }
      return Optional.of(
          LoggedDelivery.withoutOutcome(
              DeliveryId.of(endpoint.id(), captureId),
              endpoint.id(),
              captureId,
              position,
              history ? Origin.BACKFILL : Origin.LIVE,
              history ? endpoint.createdAt() : enteredAt));
    }
  }

  List<UUID> endpointIds() {
    return endpoints.stream().map(Owing::endpointId).toList();
  }

  boolean isEmpty() {
    return high <= low;
  }

  OwedScope upTo(long position) {
    return new OwedScope(workspaceId, endpoints, low, position);
  }
}
