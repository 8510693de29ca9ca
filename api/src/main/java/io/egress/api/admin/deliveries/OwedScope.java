package io.egress.api.admin.deliveries;

import io.egress.webhook.delivery.EnteredCapture;
import io.egress.webhook.delivery.Owed;
import io.egress.webhook.deliverylog.LoggedDelivery;
import java.time.Instant;
import java.util.List;
import java.util.Optional;
import java.util.UUID;

/**
 * A set of endpoints, sorted by their ids, and the positions above {@code low} and up to {@code
 * high}.
 */
record OwedScope(UUID workspaceId, List<OwedScope.Owing> endpoints, long low, long high) {
  /** What is owed to an endpoint above the position {@code low}, where the delivery log begins. */
  record Owing(Owed owed, long low) {
    /** {@code since} is when the log begins; {@code sincePosition} the newest one before that. */
    static Owing of(Owed owed, Instant since, long sincePosition) {
      boolean isWhole = owed.fullHistory() && !owed.createdAt().isBefore(since);
      return new Owing(owed, isWhole ? 0 : Math.max(owed.createdPosition(), sincePosition));
    }

    UUID endpointId() {
      return owed.endpointId();
    }

    /** Of a capture that the filter wants; empty if it is not owed, or the log has forgotten it. */
    Optional<LoggedDelivery> delivery(EnteredCapture capture) {
      return capture.position() > low
          ? Optional.of(LoggedDelivery.withoutOutcome(owed.first(capture)))
          : Optional.empty();
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
