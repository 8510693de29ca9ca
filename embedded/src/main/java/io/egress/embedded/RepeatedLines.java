package io.egress.embedded;

import java.time.Duration;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.function.LongSupplier;
import org.slf4j.Logger;

/**
 * Logs the output of a server. A line that differs from an earlier one only in numbers is logged
 * once a minute: a broker without disk space reports it thousands of times.
 */
final class RepeatedLines {
  private static final Duration APART = Duration.ofMinutes(1);
  private static final int KINDS_MAX = 200;
  private static final String STACK_FRAME = "\tat ";

  private final Logger log;
  private final LongSupplier nanoTime;
  private final Map<String, Long> loggedNanos =
      new LinkedHashMap<>() {
        private static final long serialVersionUID = 1L;

        @Override
        protected boolean removeEldestEntry(Map.Entry<String, Long> eldest) {
          return size() > KINDS_MAX;
        }
      };
  private String last = "";

  RepeatedLines(Logger log) {
    this(log, System::nanoTime);
  }

  RepeatedLines(Logger log, LongSupplier nanoTime) {
    this.log = log;
    this.nanoTime = nanoTime;
  }

  synchronized void add(String line) {
    if (line.startsWith(STACK_FRAME)) {
      return;
    }
    last = line;
    long now = nanoTime.getAsLong();
    String kind = line.replaceAll("[0-9]+", "#");
    Long logged = loggedNanos.get(kind);
    if (logged == null || now - logged >= APART.toNanos()) {
      loggedNanos.put(kind, now);
      log.warn("Kafka: {}", line);
    }
  }

  /** The last line, for the message of a failed start. */
  synchronized String last() {
    return last;
  }
}
