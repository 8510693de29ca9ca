package io.egress.api.portal.view;

import io.egress.api.admin.deliveries.Verification;
import io.egress.webhook.deliverylog.DeliveryState;
import java.util.List;
import java.util.UUID;
import java.util.function.ToLongFunction;
import org.jspecify.annotations.Nullable;

/**
 * What became of the captures owed to an endpoint.
 *
 * @param pending those on their way
 * @param missingCaptures the first of those missing
 * @param next where the part that was not examined begins; null if there is none
 */
public record VerificationView(
    long from,
    long to,
    long delivered,
    long pending,
    long exhausted,
    long skipped,
    long erased,
    long forgotten,
    long missing,
    long missingReplays,
    List<UUID> missingCaptures,
    @Nullable Long next) {
  public VerificationView {
    missingCaptures = List.copyOf(missingCaptures);
  }

  /** {@code parts} follow each other. */
  public static VerificationView of(List<Verification> parts) {
    return new VerificationView(
        parts.getFirst().fromPosition(),
        parts.getLast().toPosition(),
        sum(parts, part -> part.of(DeliveryState.DELIVERED)),
        sum(parts, part -> part.of(DeliveryState.PENDING)),
        sum(parts, part -> part.of(DeliveryState.EXHAUSTED)),
        sum(parts, part -> part.of(DeliveryState.SKIPPED)),
        sum(parts, Verification::erased),
        sum(parts, Verification::forgotten),
        sum(parts, Verification::missing),
        sum(parts, Verification::missingReplays),
        parts.stream().flatMap(part -> part.missingCaptures().stream()).toList(),
        parts.getLast().nextPosition());
  }

  private static long sum(List<Verification> parts, ToLongFunction<Verification> count) {
    return parts.stream().mapToLong(count).sum();
  }

  public long examined() {
    return Math.max(0, to - from + 1);
  }

  public String verdict() {
    if (missing + missingReplays > 0) {
      return Times.number(missing + missingReplays)
          + " missing. The service publishes them again by itself; the operator should know.";
    }
    if (exhausted + skipped > 0) {
      return "Nothing is missing. "
          + Times.number(exhausted + skipped)
          + " were given up or skipped, and can be sent again.";
    }
    return pending > 0
        ? "Nothing is missing: everything is delivered or on its way."
        : "Nothing is missing: everything is delivered.";
  }

  public boolean isComplete() {
    return missing + missingReplays + exhausted + skipped == 0;
  }
}
