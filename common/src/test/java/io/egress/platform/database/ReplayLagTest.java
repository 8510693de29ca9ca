package io.egress.platform.database;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.api.Test;

class ReplayLagTest {
  private final ReplayLag lag = new ReplayLag();

  @Test
  void isCompleteUpToTheNewestPositionThatWasReplayed() {
    lag.written(100, 1);
    lag.written(200, 2);
    lag.written(300, 3);

    assertThat(lag.completeUpTo(99)).isEmpty();
    assertThat(lag.completeUpTo(100)).hasValue(1);
    assertThat(lag.completeUpTo(299)).hasValue(2);
    assertThat(lag.completeUpTo(300)).hasValue(3);
  }

  /** Otherwise the standby of a primary that writes nothing would seem to fall behind. */
  @Test
  void isCompleteUpToNowWhileThePrimaryIsIdle() {
    lag.written(100, 1);
    lag.written(100, 2);

    assertThat(lag.completeUpTo(100)).hasValue(2);
  }

  /** A promoted standby can have less than the former primary had written. */
  @Test
  void startsAgainWithAnotherPrimary() {
    lag.written(100, 1);
    lag.written(300, 2);
    lag.written(200, 3);

    assertThat(lag.completeUpTo(150)).isEmpty();
    assertThat(lag.completeUpTo(200)).hasValue(3);
  }

  @Test
  void isUnknownForAStandbyThatWasCutOffForLong() {
    for (int i = 1; i <= 1_000; i++) {
      lag.written(100L * i, i);
    }

    assertThat(lag.completeUpTo(100)).isEmpty();
    assertThat(lag.completeUpTo(100_000)).hasValue(1_000);
  }
}
