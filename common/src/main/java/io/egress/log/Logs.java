package io.egress.log;

import ch.qos.logback.classic.LoggerContext;
import org.slf4j.LoggerFactory;

/** The end of all logging. */
public final class Logs {
  private Logs() {}

  /** Writes what waits to be written; to be called last, for nothing is logged from then on. */
  public static void close() {
    if (LoggerFactory.getILoggerFactory() instanceof LoggerContext context) {
      context.stop();
    }
  }
}
