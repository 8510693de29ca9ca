package io.egress.bench.load;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.HashMap;
import java.util.Map;
import java.util.TreeMap;
import java.util.function.Supplier;
import java.util.regex.Pattern;
import java.util.stream.Stream;

/**
 * Processor time and wake-ups of the threads of named groups of processes between two readings, by
 * the names of threads without their numbers. Threads that ended in between are left out. From
 * Linux's {@code /proc}; empty on other systems.
 */
final class ThreadWork {
  private static final Pattern NUMBER = Pattern.compile("[-#/ ]*\\d+$|[-#/ ]+$");

  /** Of one thread, or of several together. */
  record Work(long processorNanos, long wakeUps) {
    private static final Work NONE = new Work(0, 0);

    private Work plus(Work other) {
      return new Work(processorNanos + other.processorNanos, wakeUps + other.wakeUps);
    }

    private Work minus(Work before) {
      return new Work(processorNanos - before.processorNanos, wakeUps - before.wakeUps);
    }
  }

  private record Read(String group, String name, Work work) {}

  private final Map<String, Supplier<Stream<ProcessHandle>>> processes;
  private final Map<Path, Read> before;

  private ThreadWork(Map<String, Supplier<Stream<ProcessHandle>>> processes) {
    this.processes = processes;
    this.before = read();
  }

  static ThreadWork begin(Map<String, Supplier<Stream<ProcessHandle>>> processes) {
    return new ThreadWork(processes);
  }

  /** Since the beginning, keyed by group and name. */
  Map<String, Map<String, Work>> end() {
    Map<String, Map<String, Work>> sums = new TreeMap<>();
    read()
        .forEach((path, thread) -> {
          Read known = before.get(path);
          Work since = thread.work.minus(known == null ? Work.NONE : known.work);
          sums.computeIfAbsent(thread.group, _ -> new TreeMap<>())
              .merge(thread.name, since, Work::plus);
        });
    return sums;
  }

  private Map<Path, Read> read() {
    Map<Path, Read> threads = new HashMap<>();
    processes.forEach(
        (group, running) -> running.get().forEach(process -> read(group, process.pid(), threads)));
    return threads;
  }

  private static void read(String group, long pid, Map<Path, Read> threads) {
    try (Stream<Path> folders = Files.list(Path.of("/proc", Long.toString(pid), "task"))) {
      for (Path folder : folders.toList()) {
        try {
          String name = Files.readString(folder.resolve("comm")).strip();
          Work work = new Work(ProcFiles.processorNanos(folder), ProcFiles.wakeUps(folder));
          threads.put(folder, new Read(group, withoutNumber(name), work));
        } catch (IOException ended) {
          threads.remove(folder);
        }
      }
    } catch (IOException ended) {
      // It has no threads any more.
    }
  }

  static String withoutNumber(String name) {
    return NUMBER.matcher(name).replaceFirst("");
  }
}
