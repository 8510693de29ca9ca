package io.egress.bench.load;

import java.util.HashMap;
import java.util.Map;
import java.util.NavigableSet;
import java.util.OptionalLong;
import java.util.TreeSet;
import java.util.function.LongSupplier;

/**
 * When requests arrived at each endpoint, including repeated ones. Endpoints are identified by
 * their paths.
 */
final class ServiceTimes {
  private final Map<String, NavigableSet<Long>> byPath = new HashMap<>();
  private final LongSupplier clock;

  ServiceTimes() {
    this(System::nanoTime);
  }

  ServiceTimes(LongSupplier clock) {
    this.clock = clock;
  }

  synchronized void add(String path) {
    byPath.computeIfAbsent(path, _ -> new TreeSet<>()).add(clock.getAsLong());
  }

  /** Empty if there was none. */
  synchronized OptionalLong firstAfter(String path, long nanos) {
    Long first = times(path).higher(nanos);
    return first == null ? OptionalLong.empty() : OptionalLong.of(first);
  }

  /**
   * The longest time without a request that ended after {@code from} or had not ended at {@code
   * to}.
   */
  synchronized long longestGap(String path, long from, long to) {
    NavigableSet<Long> times = times(path);
    Long before = times.floor(from);
    long last = before == null ? from : before;
    long longest = 0;
    for (long time : times.subSet(from, false, to, true)) {
      longest = Math.max(longest, time - last);
      last = time;
    }
    return Math.max(longest, to - last);
  }

  private NavigableSet<Long> times(String path) {
    return byPath.getOrDefault(path, new TreeSet<>());
  }
}
