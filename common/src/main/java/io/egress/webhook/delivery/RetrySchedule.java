package io.egress.webhook.delivery;

import io.egress.platform.environment.Durations;
import java.time.Duration;
import java.util.Arrays;
import java.util.List;
import java.util.Optional;

/** The delays between attempts. */
public record RetrySchedule(List<Duration> delays) {
  private static final int DELAYS_MAX = 20;
  private static final Duration ASKED_MAX = Duration.ofSeconds(Long.MAX_VALUE);

  public RetrySchedule {
    delays = List.copyOf(delays);
    if (delays.isEmpty() || delays.size() > DELAYS_MAX) {
      throw new IllegalArgumentException("must have 1 to " + DELAYS_MAX + " delays");
    }
    if (delays.stream().anyMatch(delay -> delay.isNegative() || delay.isZero())) {
      throw new IllegalArgumentException("a delay must be longer than 0");
    }
  }

  /** Comma-separated delays, {@code 1m,5m}. */
  public static RetrySchedule parse(String text) {
    return new RetrySchedule(
        Arrays.stream(text.split(",", -1)).map(String::strip).map(Durations::parse).toList());
  }

  public int attemptsMax() {
    return delays.size() + 1;
  }

  /**
   * From the first attempt to the last, if each fails immediately and its receiver asks for as much
   * time as it may.
   */
  public Duration total() {
    Duration total = Duration.ZERO;
    for (int attempt = 1; !isLast(attempt); attempt++) {
      total = total.plus(delayAfter(attempt, ASKED_MAX));
    }
    return total;
  }

  public boolean isLast(int attempt) {
    return attempt >= attemptsMax();
  }

  /**
   * The delay after this attempt if the receiver asks for another one: never shorter than that of
   * the schedule, and never longer than the one after it.
   */
  public Duration delayAfter(int attempt, Duration asked) {
    Duration usual = delayAfter(attempt);
    Duration max = isLast(attempt + 1) ? usual : delayAfter(attempt + 1);
    Duration atMost = asked.compareTo(max) < 0 ? asked : max;
    return atMost.compareTo(usual) > 0 ? atMost : usual;
  }

  /** The longest delay that is no longer than this; empty if all are. */
  public Optional<Duration> longestUpTo(Duration max) {
    return delays.stream().filter(each -> each.compareTo(max) <= 0).max(Duration::compareTo);
  }

  /** The delay after this attempt, counted from 1, which is not the last one. */
  public Duration delayAfter(int attempt) {
    return delays.get(attempt - 1);
  }
}
