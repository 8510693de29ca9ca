package io.egress.bench.load;

import java.time.Duration;
import java.util.Arrays;
import java.util.HashMap;
import java.util.Map;
import java.util.UUID;
import java.util.concurrent.TimeUnit;
import java.util.function.LongSupplier;

/** The first arrivals of the deliveries of one measurement. */
final class Arrivals {
  private static final Duration TELL_EVERY = Duration.ofSeconds(10);

  private final Map<UUID, Long> firstTimes = new HashMap<>();
  private final LongSupplier clock = System::nanoTime;
  private long[] nanos = new long[4096];
  private int wanted = Integer.MAX_VALUE;
  private int duplicates;
  private int connections;
  private int hung;
  private long bytes;

  /** The clock is read under the lock, so that arrivals are recorded in its order. */
  synchronized void add(UUID deliveryId, long bodyBytes) {
    long now = clock.getAsLong();
    if (firstTimes.putIfAbsent(deliveryId, now) != null) {
      duplicates++;
      return;
    }
    int count = firstTimes.size();
    if (count > nanos.length) {
      nanos = Arrays.copyOf(nanos, count * 2);
    }
    nanos[count - 1] = now;
    bytes += bodyBytes;
    if (count == wanted) {
      notifyAll();
    }
  }

  synchronized void addConnection() {
    connections++;
  }

  synchronized void addHung() {
    hung++;
  }

  /** Waits for this many arrivals; false if none arrived for {@code stallMax}. */
  synchronized boolean await(int count, Duration stallMax) throws InterruptedException {
    wanted = count;
    int told = firstTimes.size();
    long lastProgress = clock.getAsLong();
    while (firstTimes.size() < count) {
      TimeUnit.MILLISECONDS.timedWait(this, TELL_EVERY.toMillis());
      int arrived = firstTimes.size();
      if (arrived > told) {
        lastProgress = clock.getAsLong();
      } else if (clock.getAsLong() - lastProgress > stallMax.toNanos()) {
        return false;
      }
      if (arrived < count) {
        System.err.printf("  %,d of %,d have arrived%n", arrived, count);
      }
      told = arrived;
    }
    return true;
  }

  synchronized int count() {
    return firstTimes.size();
  }

  synchronized int duplicates() {
    return duplicates;
  }

  /** Connections opened; each costs far more than a webhook. */
  synchronized int connections() {
    return connections;
  }

  /** Requests that were never answered. */
  synchronized int hung() {
    return hung;
  }

  synchronized double meanBytes() {
    return (double) bytes / Math.max(1, firstTimes.size());
  }

  /** The time from arrival number {@code from} to arrival number {@code to}, counted from 1. */
  synchronized double seconds(int from, int to) {
    return (nanos[to - 1] - nanos[from - 1]) / 1e9;
  }

  /** Keyed by delivery id. */
  synchronized Map<UUID, Long> firstNanos() {
    return Map.copyOf(firstTimes);
  }

  /** From the given times to the first arrivals; deliveries that have not arrived are left out. */
  synchronized Latencies since(Map<UUID, Long> startNanos) {
    Latencies latencies = new Latencies();
    startNanos.forEach((id, start) -> {
      Long arrived = firstTimes.get(id);
      if (arrived != null) {
        latencies.add(arrived - start);
      }
    });
    return latencies;
  }
}
