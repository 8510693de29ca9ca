package io.egress.standalone.bench;

import java.lang.management.ManagementFactory;
import java.lang.management.MemoryPoolMXBean;
import java.lang.management.MemoryType;
import java.util.stream.Stream;

/** The most heap this JVM has used since it was last reset, the sum of its pools' peaks. */
final class HeapPeak {
  private HeapPeak() {}

  static void reset() {
    System.gc();
    pools().forEach(MemoryPoolMXBean::resetPeakUsage);
  }

  static long megabytes() {
    return pools().mapToLong(pool -> pool.getPeakUsage().getUsed()).sum() >> 20;
  }

  static long limitMegabytes() {
    return Runtime.getRuntime().maxMemory() >> 20;
  }

  private static Stream<MemoryPoolMXBean> pools() {
    return ManagementFactory.getMemoryPoolMXBeans().stream()
        .filter(pool -> pool.getType() == MemoryType.HEAP);
  }
}
