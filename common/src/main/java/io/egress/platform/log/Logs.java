package io.egress.platform.log;

import ch.qos.logback.classic.LoggerContext;
import org.slf4j.LoggerFactory;

/** Shuts logging down. */
public final class Logs {
  private static volatile boolean open;

  private Logs() {}

  static void opened() {
    open = true;
  }

  /**
   * Flushes pending lines. Call last: nothing is logged afterwards. A process that has logged
   * nothing is spared the half of a command's time that Logback needs to read what it would do.
   */
  public static void close() {
    if (open && LoggerFactory.getILoggerFactory() instanceof LoggerContext context) {
      context.stop();
    }
  }
}
