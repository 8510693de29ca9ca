package io.egress.send;

import io.vertx.core.buffer.Buffer;
import java.time.Duration;
import org.jspecify.annotations.Nullable;

/** What came of one attempt. A new kind has to be handled wherever outcomes are. */
public sealed interface Outcome {
  /** The most that is kept of an answer's body. */
  int ANSWER_START_MAX_BYTES = 4_096;

  /** One method for each kind of outcome. */
  interface Cases {
    void delivered(Delivered delivered);

    void failed(Failed failed);

    void aborted(Aborted aborted);
  }

  void match(Cases cases);

  /** From the attempt's start to the status line, or to the end of an attempt that got none. */
  Duration duration();

  /** A 2xx status line arrived in time, whatever became of the body behind it. */
  record Delivered(int status, Duration duration, Buffer answerStart) implements Outcome {
    @Override
    public void match(Cases cases) {
      cases.delivered(this);
    }
  }

  /**
   * The receiver or the way to it failed. There is a status for {@link FailureKind#STATUS} only;
   * {@code detail} is a short text for people, free of control characters.
   */
  record Failed(
      FailureKind kind,
      @Nullable Integer status,
      String detail,
      Duration duration,
      Buffer answerStart)
      implements Outcome {
    @Override
    public void match(Cases cases) {
      cases.failed(this);
    }
  }

  /** Ended from this side before anything was known: no outcome, and never to be counted as one. */
  record Aborted(String reason, Duration duration) implements Outcome {
    @Override
    public void match(Cases cases) {
      cases.aborted(this);
    }
  }
}
