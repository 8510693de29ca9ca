package io.egress.bench.load;

import java.util.Arrays;

/** Durations recorded by one thread, and their percentiles. */
final class Latencies {
  private long[] nanos = new long[1024];
  private int count;

  void add(long duration) {
    if (count == nanos.length) {
      nanos = Arrays.copyOf(nanos, count * 2);
    }
    nanos[count++] = duration;
  }

  int count() {
    return count;
  }

  double percentileMillis(double percent) {
    if (count == 0) {
      return Double.NaN;
    }
    long[] sorted = Arrays.copyOf(nanos, count);
    Arrays.sort(sorted);
    return sorted[(int) Math.min(count - 1L, Math.round(percent / 100 * (count - 1)))] / 1e6;
  }
}
