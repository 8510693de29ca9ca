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
   * Flushes pending lines. Call last: nothing is logged afterwards. Does nothing in a process that
   * has not logged, because loading Logback takes as long as the rest of a command.
   */
  public static void close() {
    if (open && LoggerFactory.getILoggerFactory() instanceof LoggerContext context) {
      context.stop();
    }
  }
}
