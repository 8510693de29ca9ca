package io.egress.bench.fuzz;

import java.util.Map;
import java.util.Queue;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.ConcurrentSkipListMap;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.LongAdder;

/** The findings of a run. */
final class Findings {
  private static final int KEPT_MAX = 100;

  private final Map<String, LongAdder> counts = new ConcurrentSkipListMap<>();
  private final AtomicInteger violations = new AtomicInteger();
  private final Queue<String> kept = new ConcurrentLinkedQueue<>();

  void count(String what) {
    counts.computeIfAbsent(what, _ -> new LongAdder()).increment();
  }

  long counted(String what) {
    LongAdder count = counts.get(what);
    return count == null ? 0 : count.sum();
  }

  /** Records a violation; the first ones are kept with all details. */
  void violation(String what) {
    if (violations.incrementAndGet() <= KEPT_MAX) {
      kept.add(what);
    }
  }

  int violations() {
    return violations.get();
  }

  void print() {
    counts.forEach((what, count) -> System.out.printf("%-32s %,12d%n", what, count.sum()));
    kept.forEach(what -> System.out.println("VIOLATION: " + what));
    System.out.println(
        violations() == 0 ? "no violation" : violations() + " violations, the first are above");
  }
}
