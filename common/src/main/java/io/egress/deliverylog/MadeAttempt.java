package io.egress.deliverylog;

import static java.util.Objects.requireNonNull;

import io.vertx.core.buffer.Buffer;
import java.time.Duration;
import java.time.Instant;
import org.jspecify.annotations.Nullable;

/**
 * An attempt as it is remembered.
 *
 * @param outcome {@code delivered}, or the kind of failure
 */
public record MadeAttempt(
    Instant startedAt,
    Duration duration,
    String outcome,
    @Nullable Integer status,
    @Nullable String detail,
    Buffer answerStart) {
  public MadeAttempt {
    requireNonNull(startedAt, "startedAt is null");
    requireNonNull(duration, "duration is null");
    requireNonNull(outcome, "outcome is null");
    requireNonNull(answerStart, "answerStart is null");
  }
}
