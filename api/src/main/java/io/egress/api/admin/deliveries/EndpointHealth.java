package io.egress.api.admin.deliveries;

import static java.util.Objects.requireNonNull;

import com.fasterxml.jackson.annotation.JsonValue;
import io.egress.webhook.deliverylog.DeliveryState;
import io.egress.webhook.send.FailureText;
import java.time.Instant;
import java.util.Locale;
import org.jspecify.annotations.Nullable;

/**
 * How an endpoint does, judged by its newest attempts.
 *
 * @param attempts the attempts judged, at most {@link #JUDGED}
 * @param succeeded how many of them succeeded
 * @param lastSuccess the newest successful attempt; null if there is none
 * @param lastFailure the newest attempt if it failed; null if it succeeded, or there is none
 * @param failingSince since when every attempt has failed; null if one succeeded
 * @param failed captures that were exhausted and not delivered since
 * @param skipped captures that were skipped and not delivered since
 * @param hasMore whether there may be more of both than were counted
 */
public record EndpointHealth(
    State state,
    int attempts,
    int succeeded,
    @Nullable Instant lastSuccess,
    @Nullable LastFailure lastFailure,
    @Nullable Instant failingSince,
    long failed,
    long skipped,
    boolean hasMore) {
  /** How the newest attempt failed. */
  public record LastFailure(
      Instant at, String outcome, @Nullable Integer status, @Nullable String detail) {
    public FailureText text() {
      return FailureText.of(outcome, status, detail)
          .orElseThrow(() -> new IllegalStateException("no failure is called " + outcome));
    }
  }

  /** The number of attempts that are judged. */
  public static final int JUDGED = 20;

  /** An endpoint has recovered once this many attempts in a row succeeded. */
  static final int RECOVERED = 5;

  private static final double HEALTHY_RATE = 0.9;

  /** The worst first. */
  public enum State {
    /** None of the judged attempts succeeded. */
    DOWN,
    FAILING,
    PAUSED,
    HEALTHY,
    /** There is no attempt to judge. */
    UNTRIED;

    public boolean isProblem() {
      return compareTo(PAUSED) <= 0;
    }

    @JsonValue
    public String word() {
      return name().toLowerCase(Locale.ROOT);
    }
  }

  public EndpointHealth {
    requireNonNull(state, "state is null");
  }

  /** {@code newest} is the number of successes among the {@link #RECOVERED} newest attempts. */
  static State judge(boolean paused, int attempts, int succeeded, int newest) {
    if (paused) {
      return State.PAUSED;
    }
    if (attempts == 0) {
      return State.UNTRIED;
    }
    if (succeeded == 0) {
      return State.DOWN;
    }
    return newest == RECOVERED || succeeded >= attempts * HEALTHY_RATE
        ? State.HEALTHY
        : State.FAILING;
  }

  /**
   * {@code delivered}, or how the newest attempt failed, with the status of the response; null if
   * there is none.
   */
  public @Nullable String lastOutcome() {
    if (lastFailure == null) {
      return attempts == 0 ? null : DeliveryState.DELIVERED.word();
    }
    Integer status = lastFailure.status();
    return status == null ? lastFailure.outcome() : lastFailure.outcome() + " " + status;
  }

  public long undelivered() {
    return failed + skipped;
  }
}
