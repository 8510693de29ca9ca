package io.egress.bench.load;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.api.Test;

class ServiceTimesTest {
  private long now;
  private final ServiceTimes times = new ServiceTimes(() -> now);

  @Test
  void findsTheLongestGapThatAPeriodSaw() {
    arrive("/one", 10, 20, 60, 70);

    assertThat(times.longestGap("/one", 12, 75)).isEqualTo(40);
    assertThat(times.longestGap("/one", 30, 75)).as("begun before the period").isEqualTo(40);
    assertThat(times.longestGap("/one", 60, 70)).isEqualTo(10);
    assertThat(times.longestGap("/one", 60, 200)).as("not over at its end").isEqualTo(130);
    assertThat(times.longestGap("/two", 60, 200)).as("never served").isEqualTo(140);
  }

  @Test
  void findsTheFirstRequestAfterATime() {
    arrive("/one", 10, 20);

    assertThat(times.firstAfter("/one", 10)).hasValue(20);
    assertThat(times.firstAfter("/one", 20)).isEmpty();
    assertThat(times.firstAfter("/two", 0)).isEmpty();
  }

  private void arrive(String path, long... when) {
    for (long time : when) {
      now = time;
      times.add(path);
    }
  }
}
