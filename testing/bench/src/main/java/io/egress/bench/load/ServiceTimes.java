package io.egress.bench.load;

import java.util.HashMap;
import java.util.Map;
import java.util.NavigableSet;
import java.util.OptionalLong;
import java.util.TreeSet;

/**
 * When requests arrived at each endpoint, including repeated ones. Endpoints are identified by
 * their paths.
 */
final class ServiceTimes {
  private final Map<String, NavigableSet<Long>> byPath = new HashMap<>();

  synchronized void add(String path) {
    byPath.computeIfAbsent(path, _ -> new TreeSet<>()).add(System.nanoTime());
  }

  /** Empty if there was none. */
  synchronized OptionalLong firstAfter(String path, long nanos) {
    Long first = times(path).higher(nanos);
    return first == null ? OptionalLong.empty() : OptionalLong.of(first);
  }

  private NavigableSet<Long> times(String path) {
    return byPath.getOrDefault(path, new TreeSet<>());
  }
}
