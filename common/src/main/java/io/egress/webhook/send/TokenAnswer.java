package io.egress.webhook.send;

import io.egress.webhook.endpoint.CustomHeaders;
import io.egress.webhook.send.Outcome.Delivered;
import io.egress.webhook.send.Outcome.Failed;
import io.vertx.core.buffer.Buffer;
import io.vertx.core.json.DecodeException;
import io.vertx.core.json.JsonObject;
import java.time.Duration;
import org.jspecify.annotations.Nullable;

/**
 * What an authorization server has answered (RFC 6749, sections 5.1 and 5.2). Of a successful
 * answer nothing is shown: it may have a token that was not found.
 *
 * @param token null with a problem
 * @param keptFor until shortly before it expires
 */
record TokenAnswer(@Nullable String token, Duration keptFor, String problem) {
  private static final Duration KEPT_WITHOUT_EXPIRY = Duration.ofMinutes(5);
  private static final Duration MARGIN_MAX = Duration.ofSeconds(60);
  private static final long EXPIRES_SECONDS_MAX = Duration.ofDays(365).toSeconds();

  static TokenAnswer read(Delivered delivered) {
    JsonObject json = json(delivered.answerStart());
    if (json == null) {
      return without("the token server answered " + delivered.status() + " without JSON");
    }
    if (!(json.getValue("access_token") instanceof String token) || token.isEmpty()) {
      return without("the token server answered without an access_token");
    }
    if (json.getValue("token_type") instanceof String type && !type.equalsIgnoreCase("bearer")) {
      return without("the token server answered with a token that is not a bearer token: " + type);
    }
    if (CustomHeaders.problemOfValue(token) != null) {
      return without("the token server answered with a token that no header can have");
    }
    return new TokenAnswer(token, keptFor(json.getValue("expires_in")), "");
  }

  /** The outcome of attempts whose token was refused. */
  static Failed refused(Failed failed, Redaction redaction) {
    Exchanged exchanged = failed.exchanged();
    Buffer answer = exchanged.answerStart();
    Exchanged shown =
        new Exchanged(
            null,
            exchanged.answerHeaders(),
            redaction.start(answer, Outcome.ANSWER_START_MAX_BYTES));
    JsonObject json = json(answer);
    String error = json != null && json.getValue("error") instanceof String code ? ": " + code : "";
    return failed(
        "the token server: " + failed.detail() + redaction.in(error), failed.duration(), shown);
  }

  static Failed failed(String detail, Duration duration, Exchanged exchanged) {
    return new Failed(FailureKind.TOKEN, null, AttemptFailure.tidy(detail), duration, exchanged);
  }

  private static TokenAnswer without(String problem) {
    return new TokenAnswer(null, Duration.ZERO, problem);
  }

  private static Duration keptFor(@Nullable Object expiresIn) {
    if (!(expiresIn instanceof Number seconds)) {
      return KEPT_WITHOUT_EXPIRY;
    }
    Duration lifetime = Duration.ofSeconds(Math.clamp(seconds.longValue(), 0, EXPIRES_SECONDS_MAX));
    Duration margin = lifetime.dividedBy(10);
    return lifetime.minus(margin.compareTo(MARGIN_MAX) > 0 ? MARGIN_MAX : margin);
  }

  private static @Nullable JsonObject json(Buffer body) {
    try {
      return new JsonObject(body);
    } catch (DecodeException | ClassCastException noObject) {
      return null;
    }
  }

  /** Tokens are never printed. */
  @Override
  public String toString() {
    return "TokenAnswer[" + problem + "]";
  }
}
