package io.egress.webhook.deliverylog;

import static java.util.Objects.requireNonNull;

import io.egress.webhook.send.Exchanged;
import io.egress.webhook.send.Outcome;
import io.vertx.core.buffer.Buffer;
import java.time.Duration;
import java.time.Instant;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/**
 * The logged details of an attempt.
 *
 * @param outcome {@code delivered}, or the kind of failure
 * @param revision the capture's, of the document that was sent; null if it is not known
 */
public record MadeAttempt(
    Instant startedAt,
    Duration duration,
    String outcome,
    @Nullable Integer status,
    @Nullable String detail,
    @Nullable Long revision,
    Exchanged exchanged) {
  public MadeAttempt {
    requireNonNull(startedAt, "startedAt is null");
    requireNonNull(duration, "duration is null");
    requireNonNull(outcome, "outcome is null");
    requireNonNull(exchanged, "exchanged is null");
  }

  public static MadeAttempt of(Instant startedAt, Outcome.Delivered outcome) {
    return new MadeAttempt(
        startedAt,
        outcome.duration(),
        Outcome.Delivered.WORD,
        outcome.status(),
        null,
        null,
        outcome.exchanged());
  }

  public static MadeAttempt of(Instant startedAt, Outcome.Failed outcome) {
    return new MadeAttempt(
        startedAt,
        outcome.duration(),
        outcome.kind().word(),
        outcome.status(),
        outcome.detail(),
        null,
        outcome.exchanged());
  }

  /** Empty for an aborted attempt, which has no outcome. */
  public static Optional<MadeAttempt> of(Instant startedAt, Outcome outcome) {
    if (outcome instanceof Outcome.Delivered delivered) {
      return Optional.of(of(startedAt, delivered));
    }
    return outcome instanceof Outcome.Failed failed
        ? Optional.of(of(startedAt, failed))
        : Optional.empty();
  }

  /** With the revision of the capture, if anything was sent. */
  public MadeAttempt withRevision(@Nullable Long sentRevision) {
    return new MadeAttempt(
        startedAt,
        duration,
        outcome,
        status,
        detail,
        exchanged.request() == null ? null : sentRevision,
        exchanged);
  }

  /** The beginning of the response body. */
  public Buffer answerStart() {
    return exchanged.answerStart();
  }
}
