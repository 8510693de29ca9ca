package io.egress.api.deliveries;

import io.egress.deliverylog.MadeAttempt;
import io.egress.document.UtcInstant;
import io.vertx.core.json.JsonObject;
import java.util.Base64;
import java.util.Optional;

/** An attempt as the internal API shows it. */
public final class AttemptView {
  private AttemptView() {}

  public static JsonObject of(MadeAttempt attempt) {
    byte[] answer = attempt.answerStart().getBytes();
    Optional<String> text = AnswerText.of(answer);
    return new JsonObject()
        .put("started_at", UtcInstant.format(attempt.startedAt()))
        .put("duration_ms", attempt.duration().toMillis())
        .put("outcome", attempt.outcome())
        .put("status", attempt.status())
        .put("detail", attempt.detail())
        .put("answer", text.orElse(null))
        .put("answer_base64", text.isPresent() ? null : Base64.getEncoder().encodeToString(answer));
  }
}
