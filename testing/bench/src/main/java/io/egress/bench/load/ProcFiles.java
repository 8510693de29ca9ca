package io.egress.bench.load;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Stream;

/** Reads a process's figures from Linux's {@code /proc}; 0 on other systems. */
final class ProcFiles {
  private static final Pattern SHARE = Pattern.compile("^Pss:\\s+(\\d+) kB$", Pattern.MULTILINE);
  private static final Pattern WAKE_UPS =
      Pattern.compile("^voluntary_ctxt_switches:\\s+(\\d+)$", Pattern.MULTILINE);

  private static final Pattern PROCESSOR_NANOS = Pattern.compile("^(\\d+) ");

  private ProcFiles() {}

  /** The voluntary context switches of its live threads since they began. */
  static long wakeUps(ProcessHandle process) {
    try (Stream<Path> threads = Files.list(folder(process).resolve("task"))) {
      List<Path> each = threads.toList();
      return each.stream().mapToLong(ProcFiles::wakeUps).sum();
    } catch (IOException ended) {
      return 0;
    }
  }

  /** Of one thread, whose folder this is. */
  static long wakeUps(Path thread) {
    return number(thread.resolve("status"), WAKE_UPS);
  }

  /** Of one thread, whose folder this is. */
  static long processorNanos(Path thread) {
    return number(thread.resolve("schedstat"), PROCESSOR_NANOS);
  }

  /** Shared memory is divided among the processes that share it. */
  static long residentKilobytes(ProcessHandle process) {
    return number(folder(process).resolve("smaps_rollup"), SHARE);
  }

  private static Path folder(ProcessHandle process) {
    return Path.of("/proc", Long.toString(process.pid()));
  }

  private static long number(Path file, Pattern pattern) {
    try {
      Matcher found = pattern.matcher(Files.readString(file));
      return found.find() ? Long.parseLong(found.group(1)) : 0;
    } catch (IOException ended) {
      return 0;
    }
  }
}
