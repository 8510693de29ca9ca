package io.egress.bench.load;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.Map;
import java.util.TreeMap;
import org.assertj.core.data.Offset;
import org.junit.jupiter.api.Test;

class StageTimesTest {
  private static final Offset<Double> EXACT = Offset.offset(1e-9);

  /** 10 up to 1 ms, 80 up to 5 ms, 10 beyond. */
  private final TreeMap<Double, Double> counts =
      new TreeMap<>(Map.of(0.001, 10.0, 0.005, 90.0, Double.POSITIVE_INFINITY, 100.0));

  @Test
  void interpolatesWithinABucket() {
    assertThat(StageTimes.percentileMillis(counts, 0.1)).isCloseTo(1, EXACT);
    assertThat(StageTimes.percentileMillis(counts, 0.5)).isCloseTo(3, EXACT);
    assertThat(StageTimes.percentileMillis(counts, 0.05)).isCloseTo(0.5, EXACT);
  }

  @Test
  void usesTheLastBoundForOutliers() {
    assertThat(StageTimes.percentileMillis(counts, 0.99)).isCloseTo(5, EXACT);
  }

  @Test
  void isUnknownWithoutCounts() {
    assertThat(StageTimes.percentileMillis(new TreeMap<>(), 0.5)).isNaN();
    assertThat(StageTimes.percentileMillis(new TreeMap<>(Map.of(1.0, 0.0)), 0.5)).isNaN();
  }
}
