package io.egress.dispatcher.lane;

import java.time.Duration;
import java.util.Random;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/** Random histories: nothing is lost or handed out twice, and every limit holds at every step. */
class LanesPropertyTest {
  private static final int FEW_SEEDS = 200;
  private static final int SEEDS = 1_200;
  private static final int STEPS = 300;

  @Test
  void keepsEveryRecordOnceAndEveryLimitAlways() {
    check(0, FEW_SEEDS);
  }

  @Test
  @Tag("full")
  void doesSoInManyMoreHistories() {
    check(FEW_SEEDS, SEEDS);
  }

  private static void check(long from, long until) {
    for (long seed = from; seed < until; seed++) {
      Random random = new Random(seed);
      LanesHistory history = new LanesHistory(random, settings(random));
      try {
        for (int step = 0; step < STEPS; step++) {
          history.step();
          history.check();
        }
        history.finish();
      } catch (AssertionError | RuntimeException failure) {
        throw new AssertionError("seed " + seed + ": " + history.lastStep(), failure);
      }
    }
  }

  private static LaneSettings settings(Random random) {
    int max = 1 + random.nextInt(12);
    int inFlightMax = 1 + random.nextInt(30);
    int queuedMax = 2 + random.nextInt(60);
    int pauseAt = 1 + random.nextInt(queuedMax);
    return new LaneSettings(
        new LaneSettings.Concurrency(
            1 + random.nextInt(max), max, Duration.ofSeconds(1), Duration.ofSeconds(20)),
        new LaneSettings.Parking(
            Duration.ofSeconds(2),
            Duration.ofSeconds(6),
            Duration.ofSeconds(1),
            Duration.ofSeconds(8)),
        new LaneSettings.Bounds(
            inFlightMax,
            1 + random.nextInt(inFlightMax),
            queuedMax,
            pauseAt,
            random.nextInt(pauseAt),
            random.nextInt(4)));
  }
}
