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
 * @param pending those not delivered yet
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

  /** Of several endpoints; the positions are those of all. */
  public static VerificationView together(List<VerificationView> all) {
    return new VerificationView(
        all.stream().mapToLong(VerificationView::from).min().orElse(1),
        all.stream().mapToLong(VerificationView::to).max().orElse(0),
        total(all, VerificationView::delivered),
        total(all, VerificationView::pending),
        total(all, VerificationView::exhausted),
        total(all, VerificationView::skipped),
        total(all, VerificationView::erased),
        total(all, VerificationView::forgotten),
        total(all, VerificationView::missing),
        total(all, VerificationView::missingReplays),
        List.of(),
        null);
  }

  private static long total(List<VerificationView> all, ToLongFunction<VerificationView> count) {
    return all.stream().mapToLong(count).sum();
  }

  public long undelivered() {
    return exhausted + skipped;
  }

  public long allMissing() {
    return missing + missingReplays;
  }

  public String verdict() {
    if (allMissing() > 0) {
      return Times.number(allMissing())
          + " missing. The service publishes them again by itself; the operator should know.";
    }
    if (undelivered() > 0) {
      return "Nothing is missing. "
          + counted(undelivered(), " was", " were")
          + " given up or skipped, and can be sent again.";
    }
    return pending > 0
        ? "Nothing is missing. " + counted(pending, " is", " are") + " not delivered yet."
        : "Nothing is missing: everything is delivered.";
  }

  private static String counted(long number, String one, String several) {
    return Times.number(number) + (number == 1 ? one : several);
  }

  public boolean isComplete() {
    return allMissing() + undelivered() == 0;
  }
}
