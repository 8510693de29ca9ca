package io.egress.api.admin.deliveries;

import io.egress.platform.json.UtcInstant;
import io.egress.webhook.deliverylog.MadeAttempt;
import io.egress.webhook.send.SentRequest;
import io.egress.webhook.send.ShownHeader;
import io.vertx.core.json.JsonArray;
import io.vertx.core.json.JsonObject;
import java.util.Base64;
import java.util.List;
import java.util.Optional;
import java.util.UUID;
import org.jspecify.annotations.Nullable;

/** An attempt as the internal API shows it. */
public final class AttemptView {
  private AttemptView() {}

  public static JsonObject of(UUID deliveryId, MadeAttempt attempt) {
    byte[] answer = attempt.answerStart().getBytes();
    Optional<String> text = AnswerText.of(answer);
    return new JsonObject()
        .put("started_at", UtcInstant.format(attempt.startedAt()))
        .put("duration_ms", attempt.duration().toMillis())
        .put("outcome", attempt.outcome())
        .put("status", attempt.status())
        .put("detail", attempt.detail())
        .put("request", request(deliveryId, attempt))
        .put("answer_headers", headers(attempt.exchanged().shownAnswerHeaders()))
        .put("answer", text.orElse(null))
        .put("answer_base64", text.isPresent() ? null : Base64.getEncoder().encodeToString(answer));
  }

  /** Null if nothing was sent. */
  private static @Nullable JsonObject request(UUID deliveryId, MadeAttempt attempt) {
    SentRequest request = attempt.exchanged().request();
    return request == null
        ? null
        : new JsonObject()
            .put("emitted_at", UtcInstant.format(attempt.startedAt()))
            .put("revision", attempt.revision())
            .put("length", request.length())
            .put("signature", request.signature())
            .put("headers", headers(request.allHeaders(deliveryId)));
  }

  private static JsonArray headers(List<ShownHeader> headers) {
    JsonArray shown = new JsonArray();
    headers.forEach(header ->
        shown.add(new JsonObject().put("name", header.name()).put("value", header.value())));
    return shown;
  }
}
