package io.egress.api.portal.view;

import io.egress.api.deliveries.DeliveryReads;
import io.egress.deliverylog.MadeAttempt;
import java.time.Instant;
import org.jspecify.annotations.Nullable;

/**
 * An attempt.
 *
 * @param answer the beginning of the response body; null if it is not text
 * @param answerBytes the number of bytes that were kept
 */
public record AttemptRow(
    int number,
    Instant startedAt,
    long millis,
    String outcome,
    @Nullable Integer status,
    @Nullable String detail,
    @Nullable String answer,
    int answerBytes) {
  public static AttemptRow of(int number, MadeAttempt attempt) {
    return new AttemptRow(
        number,
        attempt.startedAt(),
        attempt.duration().toMillis(),
        attempt.outcome(),
        attempt.status(),
        attempt.detail(),
        DeliveryReads.answerText(attempt).orElse(null),
        attempt.answerStart().length());
  }

  public boolean isDelivered() {
    return outcome.equals("delivered");
  }

  /** The outcome, including the response status. */
  public String result() {
    if (status == null) {
      return outcome;
    }
    return outcome.equals("status") ? "status " + status : outcome + ", status " + status;
  }
}
