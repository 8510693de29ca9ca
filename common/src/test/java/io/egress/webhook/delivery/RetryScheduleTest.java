package io.egress.webhook.delivery;

import static org.assertj.core.api.Assertions.assertThat;

import io.egress.platform.environment.Durations;
import java.time.Duration;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class RetryScheduleTest {
  private static final RetrySchedule SCHEDULE = RetrySchedule.parse("1m,5m,30m,10m");

  @ParameterizedTest
  @CsvSource({
    "1, 1s, 1m",
    "1, 2m, 2m",
    "1, 1h, 5m",
    "2, 6m, 6m",
    "2, 1h, 30m",
    "3, 1h, 30m",
    "3, 20m, 30m",
    "4, 1h, 10m"
  })
  void aReceiverMayAskForMoreUpToTheNextDelay(int attempt, String asked, String delay) {
    assertThat(SCHEDULE.delayAfter(attempt, Durations.parse(asked)))
        .isEqualTo(Durations.parse(delay));
  }

  @ParameterizedTest
  @CsvSource({"'1m,5m,15m,1h,6h,24h', 3320m", "'1m', 1m", "'1m,1m', 2m", "'1m,5m,30m,10m', 75m"})
  void takesLongestIfItsReceiverAlwaysAsksForMore(String delays, String total) {
    assertThat(RetrySchedule.parse(delays).total()).isEqualTo(Durations.parse(total));
  }

  @Test
  void theLongestDelayThatFits() {
    assertThat(SCHEDULE.longestUpTo(Duration.ofMinutes(29))).contains(Duration.ofMinutes(10));
    assertThat(SCHEDULE.longestUpTo(Duration.ofSeconds(59))).isEmpty();
  }
}
