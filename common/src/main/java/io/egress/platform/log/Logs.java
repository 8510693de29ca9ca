package io.egress.platform.log;

import ch.qos.logback.classic.LoggerContext;
import org.slf4j.LoggerFactory;

/** Shuts logging down. */
public final class Logs {
  private Logs() {}

  /** Flushes pending lines. Call last: nothing is logged afterwards. */
  public static void close() {
    if (LoggerFactory.getILoggerFactory() instanceof LoggerContext context) {
      context.stop();
    }
  }
}
