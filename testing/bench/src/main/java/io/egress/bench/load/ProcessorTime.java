package io.egress.bench.load;

import java.time.Duration;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.function.Supplier;
import java.util.stream.Collectors;
import java.util.stream.Stream;

/** The processor time of named groups of processes between two readings. */
final class ProcessorTime {
  /** The name of the elapsed time itself. */
  static final String ELAPSED = "elapsed";

  private final Map<String, Supplier<Stream<ProcessHandle>>> groups = new LinkedHashMap<>();
  private final Map<Long, Duration> before = new HashMap<>();
  private final long startNanos = System.nanoTime();

  private ProcessorTime(Map<String, Supplier<Stream<ProcessHandle>>> groups) {
    this.groups.putAll(groups);
    groups
        .values()
        .forEach(group -> group.get().forEach(process -> before.put(process.pid(), used(process))));
  }

  static ProcessorTime begin(Map<String, Supplier<Stream<ProcessHandle>>> groups) {
    return new ProcessorTime(groups);
  }

  /** Seconds by group since the beginning; a process that started later counts from zero. */
  Map<String, Double> end() {
    Map<String, Double> seconds = new LinkedHashMap<>();
    groups.forEach((name, group) ->
        seconds.put(name, group.get().collect(Collectors.summingDouble(this::spent))));
    seconds.put(ELAPSED, (System.nanoTime() - startNanos) / 1e9);
    return seconds;
  }

  private double spent(ProcessHandle process) {
    Duration start = before.getOrDefault(process.pid(), Duration.ZERO);
    return used(process).minus(start).toMillis() / 1e3;
  }

  private static Duration used(ProcessHandle process) {
    return process.info().totalCpuDuration().orElse(Duration.ZERO);
  }
}
