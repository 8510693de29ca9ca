package io.egress.api.portal.view;

import static java.util.Objects.requireNonNull;

import io.egress.api.admin.deliveries.DeliveryReads;
import io.egress.webhook.deliverylog.MadeAttempt;
import io.egress.webhook.send.FailureText;
import java.time.Instant;
import java.util.Objects;
import java.util.UUID;
import org.jspecify.annotations.Nullable;

/**
 * An attempt.
 *
 * @param sent null if nothing was sent
 * @param answerHeaders one a line
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
    @Nullable SentView sent,
    String answerHeaders,
    @Nullable String answer,
    int answerBytes) {
  public AttemptRow {
    requireNonNull(startedAt, "startedAt is null");
    requireNonNull(outcome, "outcome is null");
    requireNonNull(answerHeaders, "answerHeaders is null");
  }

  /** {@code url} is empty if it is not known. */
  public static AttemptRow of(
      int number,
      MadeAttempt attempt,
      UUID deliveryId,
      long position,
      String url,
      boolean bodyKnown) {
    return new AttemptRow(
        number,
        attempt.startedAt(),
        attempt.duration().toMillis(),
        attempt.outcome(),
        attempt.status(),
        attempt.detail(),
        SentView.of(attempt, deliveryId, position, url, bodyFile(deliveryId, number), bodyKnown),
        SentView.lines(attempt.exchanged().shownAnswerHeaders()),
        DeliveryReads.answerText(attempt).orElse(null),
        attempt.answerStart().length());
  }

  /** The name of a downloaded body. */
  public static String bodyFile(UUID deliveryId, int number) {
    return deliveryId + "-" + number + ".json";
  }

  public boolean isDelivered() {
    return outcome.equals("delivered");
  }

  /** What can be done about a failure; empty if it succeeded. */
  public String advice() {
    return FailureText.of(outcome, status, detail).map(FailureText::advice).orElse("");
  }

  /** Whether both look the same to a reader who wants to know what is wrong. */
  boolean endedLike(AttemptRow other) {
    return result().equals(other.result())
        && Objects.equals(detail, other.detail)
        && Objects.equals(answer, other.answer)
        && answerBytes == other.answerBytes;
  }

  /** The outcome, including the response status. */
  public String result() {
    if (isDelivered()) {
      return status == null ? outcome : outcome + ", status " + status;
    }
    return FailureText.of(outcome, status, detail).map(FailureText::words).orElse(outcome);
  }
}
