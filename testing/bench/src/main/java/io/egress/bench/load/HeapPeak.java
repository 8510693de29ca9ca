package io.egress.bench.load;

import java.lang.management.ManagementFactory;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.LockSupport;

/** The peak heap usage of a piece of work, sampled every few milliseconds. */
final class HeapPeak implements AutoCloseable {
  private static final long LOOK_NANOS = TimeUnit.MILLISECONDS.toNanos(5);

  private final Thread observer = new Thread(this::observe, "bench-heap");
  private volatile boolean running = true;
  private volatile long peakBytes;

  HeapPeak() {
    System.gc();
    observer.setDaemon(true);
    observer.start();
  }

  private void observe() {
    while (running) {
      long used = ManagementFactory.getMemoryMXBean().getHeapMemoryUsage().getUsed();
      peakBytes = Math.max(peakBytes, used);
      LockSupport.parkNanos(LOOK_NANOS);
    }
  }

  @Override
  public void close() {
    running = false;
  }

  void print() {
    System.out.printf(
        "heap peak %d MB of %d MB, load generator included%n%n",
        peakBytes >> 20, Runtime.getRuntime().maxMemory() >> 20);
  }
}
