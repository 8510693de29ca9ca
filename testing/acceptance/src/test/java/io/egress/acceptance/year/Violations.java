package io.egress.acceptance.year;

import java.util.List;
import java.util.Queue;
import java.util.concurrent.ConcurrentLinkedQueue;

/** Promises that were broken. Thread-safe. */
@SuppressWarnings("AnnotateFormatMethod") // Error Prone's annotations are no dependency.
final class Violations {
  private final Queue<String> all = new ConcurrentLinkedQueue<>();

  void add(String what, Object... values) {
    String violation = what.formatted(values);
    System.out.println("BROKEN: " + violation);
    all.add(violation);
  }

  void unless(boolean kept, String what, Object... values) {
    if (!kept) {
      add(what, values);
    }
  }

  List<String> all() {
    return List.copyOf(all);
  }
}
