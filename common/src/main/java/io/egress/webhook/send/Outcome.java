package io.egress.webhook.send;

import io.vertx.core.buffer.Buffer;
import java.time.Duration;
import org.jspecify.annotations.Nullable;

/** The outcome of one attempt. */
public sealed interface Outcome {
  /** The most bytes kept of a response body. */
  int ANSWER_START_MAX_BYTES = 4_096;

  /** From the start of the attempt to the status line, or to its end if there was none. */
  Duration duration();

  /** As the outcome of an attempt that has sent this request before. */
  default Outcome after(SentRequest earlier) {
    return switch (this) {
      case Delivered(int status, Duration duration, Exchanged exchanged) ->
          new Delivered(status, duration, exchanged.after(earlier));
      case Failed(
              FailureKind kind,
              Integer status,
              String detail,
              Duration duration,
              Exchanged exchanged) ->
          new Failed(kind, status, detail, duration, exchanged.after(earlier));
      case Authorized authorized -> authorized;
      case Aborted aborted -> aborted;
    };
  }

  /** A 2xx status line arrived in time, whatever happened to the body after it. */
  record Delivered(int status, Duration duration, Exchanged exchanged) implements Outcome {
    /** As the delivery log and traces name it. */
    public static final String WORD = "delivered";

    public Buffer answerStart() {
      return exchanged.answerStart();
    }
  }

  /**
   * The receiver, or the connection to it, failed. Only {@link FailureKind#STATUS} has a status;
   * {@code detail} is a short text for people without control characters.
   */
  record Failed(
      FailureKind kind,
      @Nullable Integer status,
      String detail,
      Duration duration,
      Exchanged exchanged)
      implements Outcome {
    public Buffer answerStart() {
      return exchanged.answerStart();
    }
  }

  /**
   * Nothing is sent yet: a token had to be awaited, and what was prepared may have changed since.
   * Whoever sends prepares again and passes this on.
   *
   * @param rejected what was sent with a token that was rejected; null if none was
   * @param duration what is used of the deadline
   */
  record Authorized(
      AccessTokens tokens,
      AccessTokens.Answer.Token token,
      @Nullable SentRequest rejected,
      Duration duration)
      implements Outcome {}

  /** Canceled by this side before the outcome was known; never counted as one. */
  record Aborted(String reason, Duration duration) implements Outcome {}
}
