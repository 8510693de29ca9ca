package io.egress.platform.lifecycle;

import com.sun.management.HotSpotDiagnosticMXBean;
import java.lang.management.ManagementFactory;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** The cache of classes and counts that a JVM may have been started with. */
final class AotCache {
  private static final Logger log = LoggerFactory.getLogger(AotCache.class);

  private AotCache() {}

  /** The JVM itself goes on without a word, and slower, if told to print nothing of the cache. */
  static void warnIfRefused() {
    String cache =
        ManagementFactory.getPlatformMXBean(HotSpotDiagnosticMXBean.class)
            .getVMOption("AOTCache")
            .getValue();
    // It maps the cache, or no archive of classes at all.
    if (!cache.isEmpty() && !System.getProperty("java.vm.info", "").contains("sharing")) {
      log.warn(
          "The cache {} is not used: it was made for another JDK, other libraries or other options;"
              + " egress train makes a new one",
          cache);
    }
  }
}
