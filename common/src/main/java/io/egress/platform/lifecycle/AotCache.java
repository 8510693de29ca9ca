package io.egress.platform.lifecycle;

import java.lang.management.ManagementFactory;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** The cache of classes and counts that a JVM may have been started with. */
final class AotCache {
  private static final Logger log = LoggerFactory.getLogger(AotCache.class);
  private static final String OPTION = "-XX:AOTCache=";

  private AotCache() {}

  /** The JVM itself goes on without a word, and slower, if told to print nothing of the cache. */
  static void warnIfRefused() {
    // It maps the cache, or no archive of classes at all.
    if (System.getProperty("java.vm.info", "").contains("sharing")) {
      return;
    }
    ManagementFactory.getRuntimeMXBean().getInputArguments().stream()
        .filter(argument -> argument.startsWith(OPTION))
        .forEach(argument ->
            log.warn(
                "The cache {} is not used: it was made for another JDK, other libraries or other"
                    + " options; egress train makes a new one",
                argument.substring(OPTION.length())));
  }
}
