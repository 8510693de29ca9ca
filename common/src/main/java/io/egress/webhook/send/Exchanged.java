package io.egress.webhook.send;

import io.vertx.core.buffer.Buffer;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * What an attempt sent and received.
 *
 * @param request null if nothing was sent
 * @param answerHeaders as lines; empty if there was no answer
 * @param answerStart the beginning of the response body
 * @param retryAfter the value of that header; null if there was none
 */
public record Exchanged(
    @Nullable SentRequest request,
    String answerHeaders,
    Buffer answerStart,
    @Nullable String retryAfter) {
  public static final Exchanged NOTHING = new Exchanged(null, "", Buffer.buffer());

  /** As logged. */
  public Exchanged(@Nullable SentRequest request, String answerHeaders, Buffer answerStart) {
    this(request, answerHeaders, answerStart, null);
  }

  /** The earlier request is of the same attempt, and all that was sent if there is no other. */
  Exchanged after(@Nullable SentRequest earlier) {
    if (earlier == null) {
      return this;
    }
    SentRequest last = request == null ? earlier : request.after(earlier);
    return new Exchanged(last, answerHeaders, answerStart, retryAfter);
  }

  /** The first headers of the response; the last one may be cut off. */
  public List<ShownHeader> shownAnswerHeaders() {
    return HeaderLines.parse(answerHeaders);
  }
}
