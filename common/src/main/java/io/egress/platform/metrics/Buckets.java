package io.egress.platform.metrics;

import java.time.Duration;
import java.util.List;
import java.util.stream.LongStream;

/** The bucket bounds of histograms. */
public record Buckets(List<Duration> bounds) {
  /** For durations of calls and attempts, and delays of event loops. */
  public static final Buckets CALL =
      ofMillis(1, 2, 5, 10, 25, 50, 100, 250, 500, 1_000, 2_000, 5_000, 10_000, 30_000, 60_000);

  /** For stages that take milliseconds, or hours after an outage. */
  public static final Buckets STAGE =
      ofMillis(1, 2, 5, 10, 25, 50, 100, 250, 1_000, 5_000, 60_000, 600_000, 3_600_000);

  /** For deliveries that may have waited for a retry: from milliseconds to a day. */
  public static final Buckets DELAY =
      ofMillis(
          2,
          5,
          10,
          25,
          50,
          100,
          250,
          500,
          1_000,
          2_000,
          5_000,
          10_000,
          30_000,
          60_000,
          120_000,
          300_000,
          900_000,
          1_800_000,
          3_600_000,
          7_200_000,
          28_800_000,
          86_400_000);

  public Buckets {
    bounds = List.copyOf(bounds);
  }

  private static Buckets ofMillis(long... bounds) {
    return new Buckets(LongStream.of(bounds).mapToObj(Duration::ofMillis).toList());
  }
}
