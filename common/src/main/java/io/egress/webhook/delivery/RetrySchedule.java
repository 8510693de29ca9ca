package io.egress.webhook.delivery;

import io.egress.platform.environment.Durations;
import java.time.Duration;
import java.util.Arrays;
import java.util.List;

/** The delays between attempts. */
public record RetrySchedule(List<Duration> delays) {
  private static final int DELAYS_MAX = 20;

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

  /** From the first attempt to the last, if each failed immediately. */
  public Duration total() {
    return delays.stream().reduce(Duration.ZERO, Duration::plus);
  }

  public boolean isLast(int attempt) {
    return attempt >= attemptsMax();
  }

  /** The delay after this attempt, counted from 1, which is not the last one. */
  public Duration delayAfter(int attempt) {
    return delays.get(attempt - 1);
  }
}
