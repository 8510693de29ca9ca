package io.egress.dispatcher.lane;

import static org.assertj.core.api.Assertions.assertThat;

import java.time.Duration;
import org.junit.jupiter.api.Test;

class ConcurrencyLimitTest {
  private static final long AT_ONCE = Duration.ofMillis(3).toNanos();
  private static final long FAST = Duration.ofMillis(50).toNanos();
  private static final long SLOW = Duration.ofMillis(2_001).toNanos();

  private final ConcurrencyLimit limit =
      new ConcurrencyLimit(LaneSettings.defaults().concurrency());
  private long nowNanos;

  @Test
  void startsSmall() {
    assertThat(limit.current()).isEqualTo(4);
  }

  @Test
  void everyFastDeliveryRaisesItUntilTheMaximum() {
    deliver(1, FAST);
    assertThat(limit.current()).isEqualTo(5);
    deliver(58, FAST);
    assertThat(limit.current()).isEqualTo(63);
    deliver(10, FAST);
    assertThat(limit.current()).isEqualTo(64);
  }

  @Test
  void anEndpointThatAnswersAtOnceRaisesItByOnePerRound() {
    deliver(3, AT_ONCE);
    assertThat(limit.current()).isEqualTo(4);
    deliver(1, AT_ONCE);
    assertThat(limit.current()).isEqualTo(5);
    deliver(5 + 6 + 7, AT_ONCE);
    assertThat(limit.current()).isEqualTo(8);
  }

  @Test
  void slowDeliveriesDoNotRaiseIt() {
    deliver(100, SLOW);
    assertThat(limit.current()).isEqualTo(4);
  }

  @Test
  void deliveriesBelowTheEndpointsPaceDoNotRaiseItAndCrowdedOnesLowerIt() {
    deliver(30, FAST);
    assertThat(limit.current()).isEqualTo(34);
    deliver(100, 3 * FAST);
    assertThat(limit.current()).isEqualTo(34);
    deliver(10, 5 * FAST);
    assertThat(limit.current()).isEqualTo(24);
    deliver(20, 5 * FAST);
    assertThat(limit.current()).isEqualTo(16);
  }

  @Test
  void aPaceThatHasChangedForGoodIsTheNewMeasure() {
    deliver(10, FAST);
    deliver(20 * 128, 4 * FAST);
    int before = limit.current();
    deliver(1, 4 * FAST);
    assertThat(limit.current()).isGreaterThanOrEqualTo(before);
    assertThat(limit.current()).isGreaterThan(40);
  }

  @Test
  void deliveriesThatMakeNoUseOfItDoNotRaiseIt() {
    for (int i = 0; i < 100; i++) {
      limit.delivered(nowNanos, nowNanos + FAST, false);
    }
    assertThat(limit.current()).isEqualTo(4);
  }

  @Test
  void anAttemptWithoutAnswerHalvesItDownToOne() {
    deliver(60, FAST);
    for (int expected : new int[] {32, 16, 8, 4, 2, 1, 1}) {
      loseOne();
      assertThat(limit.current()).isEqualTo(expected);
    }
  }

  @Test
  void attemptsLostTogetherAreOneEvent() {
    deliver(60, FAST);
    long started = nowNanos;
    nowNanos += SLOW;
    for (int i = 0; i < 64; i++) {
      limit.unanswered(started, nowNanos + i, false);
    }
    assertThat(limit.current()).isEqualTo(32);
  }

  @Test
  void deliveriesStartedBeforeTheCutDoNotRaiseIt() {
    long started = nowNanos;
    nowNanos += FAST;
    limit.unanswered(started, nowNanos, false);
    for (int i = 0; i < 64; i++) {
      limit.delivered(started, nowNanos + i, true);
    }
    assertThat(limit.current()).isEqualTo(2);
  }

  @Test
  void anEndpointThatAnswersNothingStartsAgainFromOne() {
    deliver(60, FAST);
    nowNanos += SLOW;
    limit.unanswered(nowNanos - 1, nowNanos, true);

    assertThat(limit.current()).isEqualTo(1);
  }

  @Test
  void afterAShortOutageItClimbsFastToHalfAndThenByOnePerRound() {
    deliver(60, FAST);
    nowNanos += SLOW;
    limit.unanswered(nowNanos - 1, nowNanos, true);

    deliver(31, FAST);
    assertThat(limit.current()).isEqualTo(32);
    deliver(31, FAST);
    assertThat(limit.current()).isEqualTo(32);
    deliver(1, FAST);
    assertThat(limit.current()).isEqualTo(33);
  }

  @Test
  void afterALongOutageItClimbsByOnePerRoundAllTheWay() {
    for (int i = 0; i < 7; i++) {
      loseOne();
    }
    int deliveries = 0;
    for (int reached = 1; reached < 64; reached++) {
      assertThat(limit.current()).isEqualTo(reached);
      deliver(reached, FAST);
      deliveries += reached;
    }
    assertThat(limit.current()).isEqualTo(64);
    assertThat(deliveries).isEqualTo(64 * 63 / 2);
  }

  private void deliver(int count, long durationNanos) {
    for (int i = 0; i < count; i++) {
      long started = nowNanos;
      nowNanos += durationNanos;
      limit.delivered(started, nowNanos, true);
    }
  }

  private void loseOne() {
    long started = nowNanos;
    nowNanos += SLOW;
    limit.unanswered(started, nowNanos, false);
  }
}
