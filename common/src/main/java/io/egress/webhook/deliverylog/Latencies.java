package io.egress.webhook.deliverylog;

import java.time.Duration;
import java.util.Arrays;
import java.util.function.IntFunction;
import java.util.stream.Collectors;
import java.util.stream.IntStream;
import org.jspecify.annotations.Nullable;

/**
 * How long attempts took, as numbers of attempts by bucket. A bucket ends about 1.6 times as late
 * as the one before, so a percentile is known to about that.
 */
public final class Latencies {
  /** The ends of all buckets but the last, which has none, in milliseconds. */
  private static final int[] ENDS = {
    2, 3, 4, 6, 10, 16, 25, 40, 63, 100, 160, 250, 400, 630, 1_000, 1_600, 2_500, 4_000, 6_300,
    10_000, 16_000, 25_000, 40_000
  };

  public static final int BUCKETS = ENDS.length + 1;

  /** Where the bucket without an end begins, in milliseconds. */
  public static final int LAST_BEGIN = ENDS[ENDS.length - 1];

  /** The bucket, from 0, of the column {@code duration_ms}. */
  static final String BUCKET =
      "width_bucket(duration_ms, array["
          + IntStream.of(ENDS).mapToObj(String::valueOf).collect(Collectors.joining(","))
          + "])";

  private final long[] attempts = new long[BUCKETS];

  void add(Duration latency) {
    int found = Arrays.binarySearch(ENDS, (int) latency.toMillis());
    attempts[found >= 0 ? found + 1 : -found - 1]++;
  }

  /** {@code stored} is a value of the column {@code latencies}. */
  public static Latencies of(Integer[] stored) {
    Latencies latencies = new Latencies();
    for (int i = 0; i < BUCKETS; i++) {
      latencies.attempts[i] = stored[i];
    }
    return latencies;
  }

  public Latencies copy() {
    Latencies copy = new Latencies();
    copy.add(this);
    return copy;
  }

  public void add(Latencies other) {
    for (int i = 0; i < BUCKETS; i++) {
      attempts[i] += other.attempts[i];
    }
  }

  public long total() {
    return Arrays.stream(attempts).sum();
  }

  /**
   * The bucket that the given part of the attempts, of the fastest ones, reaches. Fails if there
   * are none.
   */
  public int bucket(double part) {
    long rank = Math.max(1, (long) Math.ceil(part * total()));
    long passed = 0;
    for (int i = 0; i < BUCKETS; i++) {
      passed += attempts[i];
      if (passed >= rank) {
        return i;
      }
    }
    throw new IllegalStateException("there were no attempts");
  }

  /** Attempts of the bucket took less than these milliseconds; null if it has no end. */
  public static @Nullable Integer end(int bucket) {
    return bucket < ENDS.length ? Integer.valueOf(ENDS[bucket]) : null;
  }

  /** As a literal of an array in SQL. */
  String literal() {
    StringBuilder literal = new StringBuilder(3 * BUCKETS).append('{');
    for (int i = 0; i < BUCKETS; i++) {
      literal.append(i == 0 ? "" : ",").append(attempts[i]);
    }
    return literal.append('}').toString();
  }

  /** An array in SQL with an expression for each bucket, from 0. */
  static String array(IntFunction<String> ofBucket) {
    return IntStream.range(0, BUCKETS)
        .mapToObj(ofBucket)
        .collect(Collectors.joining(", ", "array[", "]"));
  }
}
