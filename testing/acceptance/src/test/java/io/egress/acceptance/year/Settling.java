package io.egress.acceptance.year;

import java.time.Duration;
import org.awaitility.Awaitility;
import org.awaitility.core.ConditionTimeoutException;

/**
 * Waits until nothing is left to be done at this time. If that takes long while both roles say that
 * they are ready, they do not tell the truth.
 */
final class Settling {
  private static final Duration PROMPT = Duration.ofMinutes(1);
  private static final Duration AT_LAST = Duration.ofMinutes(3);

  private static final String LEFT =
      """
      select concat_ws('; ',
        (select count(*) || ' not published' from outbox having count(*) > 0),
        (select count(*) || ' without an attempt, such as of ' || min(e.id::text)
          from endpoints e join stream s on s.workspace_id = e.workspace_id and s.position > e.created_position
          where not e.paused and e.deleted_at is null and s.entered_at > now() - interval '%d days'
            and not exists (select from erasures x where x.capture_id = s.capture_id)
            and not exists (
              select from deliveries d
              where d.endpoint_id = e.id and d.capture_id = s.capture_id and d.origin = 'live')
          having count(*) > 0),
        (select count(*) || ' due, such as of ' || min(e.id::text)
          from deliveries d join endpoints e on e.id = d.endpoint_id
          where d.state = 'pending' and coalesce(d.next_attempt_at, d.updated_at) <= now()
            and not e.paused and e.deleted_at is null
          having count(*) > 0),
        (select count(*) || ' backfills, such as of ' || min(e.id::text)
          from unfinished_backfills b join endpoints e on e.id = b.endpoint_id
          where not e.paused and e.deleted_at is null
          having count(*) > 0))
      """
          .formatted(MovedFleet.LOG_DAYS);

  private final MovedFleet fleet;
  private final Readiness readiness;
  private final Unanswered unanswered;
  private final Violations violations;
  private Duration longest = Duration.ZERO;
  private String longestAfter = "nothing";

  Settling(MovedFleet fleet, Readiness readiness, Unanswered unanswered, Violations violations) {
    this.fleet = fleet;
    this.readiness = readiness;
    this.unanswered = unanswered;
    this.violations = violations;
  }

  /** {@code sinceNanos} is when what is to be done became due. */
  void await(long sinceNanos, String after) {
    if (!isDoneWithin(PROMPT)) {
      violations.unless(
          readiness.wasDownSince(sinceNanos),
          "ready, and after %s there is %s at %s",
          after,
          fleet.query(LEFT),
          fleet.clock().instant());
      if (!isDoneWithin(AT_LAST)) {
        throw new AssertionError("after " + after + ": " + fleet.query(LEFT));
      }
    }
    unanswered.note();
    Duration took = Duration.ofNanos(System.nanoTime() - sinceNanos);
    if (took.compareTo(longest) > 0) {
      longest = took;
      longestAfter = after;
    }
  }

  /** The longest wait. */
  String longest() {
    return "%.1f s, after %s".formatted(longest.toMillis() / 1e3, longestAfter);
  }

  private boolean isDoneWithin(Duration max) {
    try {
      Awaitility.await().atMost(max).ignoreExceptions().until(() -> fleet.query(LEFT).isEmpty());
      return true;
    } catch (ConditionTimeoutException late) {
      return false;
    }
  }
}
