package io.egress.api.deliveries;

import io.egress.delivery.Delivery.Origin;
import io.egress.deliverylog.LoggedDelivery;
import io.egress.endpoint.DeliveryId;
import io.egress.endpoint.Endpoint;
import java.time.Instant;
import java.util.List;
import java.util.Optional;
import java.util.UUID;

/** The endpoints that are looked at, and the positions above {@code low} and up to {@code high}. */
record OwedScope(UUID workspaceId, List<OwedScope.Owing> endpoints, long low, long high) {
  /**
   * An endpoint, and what of the things owed to it the delivery log still remembers.
   *
   * @param liveAbove live captures are those above this position
   * @param historyKept whether the captures before the endpoint's creation are owed, too
   */
  record Owing(Endpoint endpoint, long liveAbove, boolean historyKept) {
    /** {@code since} is when the log begins, {@code sincePosition} the newest position before. */
    static Owing of(Endpoint endpoint, Instant since, long sincePosition) {
      return new Owing(
          endpoint,
          Math.max(endpoint.createdPosition(), sincePosition),
          endpoint.fullHistory() && !endpoint.createdAt().isBefore(since));
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
    return endpoints.stream().map(each -> each.endpoint().id()).toList();
  }

  boolean isEmpty() {
    return high <= low;
  }

  OwedScope upTo(long position) {
    return new OwedScope(workspaceId, endpoints, low, position);
  }
}
