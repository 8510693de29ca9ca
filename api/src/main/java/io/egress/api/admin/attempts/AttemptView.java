package io.egress.api.admin.attempts;

import io.egress.webhook.deliverylog.MadeAttempt;
import io.egress.webhook.send.SentRequest;
import io.egress.webhook.send.ShownHeader;
import java.time.Instant;
import java.util.Base64;
import java.util.List;
import java.util.Optional;
import java.util.UUID;
import org.jspecify.annotations.Nullable;

/**
 * An attempt as the internal API shows it.
 *
 * @param request null if nothing was sent
 * @param answer the beginning of the response body, if it is text
 * @param answerBase64 the same, if it is not
 */
public record AttemptView(
    Instant startedAt,
    long durationMs,
    String outcome,
    @Nullable Integer status,
    @Nullable String detail,
    @Nullable Request request,
    List<ShownHeader> answerHeaders,
    @Nullable String answer,
    @Nullable String answerBase64) {
  /** What was sent. */
  record Request(
      Instant emittedAt,
      @Nullable Long revision,
      int length,
      int times,
      String signature,
      List<ShownHeader> headers) {}

  /** Where the page ended then is not known: another attempt may have been smaller. */
  public static AttemptView ofPage(UUID pageId, MadeAttempt attempt) {
    return of(pageId, (Long) null, attempt);
  }

  /** {@code position} is that of the capture. */
  public static AttemptView of(UUID deliveryId, long position, MadeAttempt attempt) {
    return of(deliveryId, (Long) position, attempt);
  }

  private static AttemptView of(UUID deliveryId, @Nullable Long position, MadeAttempt attempt) {
    byte[] answer = attempt.answerStart().getBytes();
    Optional<String> text = AnswerText.of(answer);
    SentRequest sent = attempt.exchanged().request();
    return new AttemptView(
        attempt.startedAt(),
        attempt.duration().toMillis(),
        attempt.outcome(),
        attempt.status(),
        attempt.detail(),
        sent == null
            ? null
            : new Request(
                attempt.startedAt(),
                attempt.revision(),
                sent.length(),
                sent.times(),
                sent.signature(),
                sent.allHeaders(deliveryId, position, attempt.revision())),
        attempt.exchanged().shownAnswerHeaders(),
        text.orElse(null),
        text.isPresent() ? null : Base64.getEncoder().encodeToString(answer));
  }
}
