package io.egress.dispatcher.supervise;

import static org.assertj.core.api.Assertions.assertThat;

import java.time.Duration;
import org.junit.jupiter.api.Test;

class ClockWatchTest {
  private long wallMillis = 1_800_000_000_000L;
  private long nanos = -5;
  private final ClockWatch watch = new ClockWatch(() -> wallMillis, () -> nanos);

  @Test
  void reportsOnceThatTheClockWasSetForwardAndBack() {
    pass(Duration.ofSeconds(10));
    wallMillis += Duration.ofHours(1).toMillis();
    assertThat(watch.setBack()).isZero();

    pass(Duration.ofMinutes(5));
    wallMillis -= Duration.ofHours(1).toMillis();
    assertThat(watch.setBack()).isEqualTo(Duration.ofHours(1));
    assertThat(watch.setBack()).isZero();
  }

  @Test
  void isNotAlarmedByAClockThatIsSlewed() {
    for (int i = 0; i < 1_000; i++) {
      pass(Duration.ofSeconds(1));
      wallMillis -= i % 2 == 0 ? 500 : -500;
      assertThat(watch.setBack()).isZero();
    }
  }

  private void pass(Duration time) {
    wallMillis += time.toMillis();
    nanos += time.toNanos();
  }
}
