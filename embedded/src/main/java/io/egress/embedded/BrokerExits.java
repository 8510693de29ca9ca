package io.egress.embedded;

import java.util.concurrent.atomic.AtomicInteger;
import org.apache.kafka.common.utils.Exit;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Kafka ends the process when a broker fails fatally, for instance when it cannot write to its
 * disk. An embedded broker fails alone, and is restarted.
 */
final class BrokerExits {
  private static final Logger log = LoggerFactory.getLogger(BrokerExits.class);

  /** Kafka does not say which broker of the process failed; there is nearly always one. */
  private static final AtomicInteger refusals = new AtomicInteger();

  private BrokerExits() {}

  static void refuse() {
    Exit.setExitProcedure(BrokerExits::refused);
    Exit.setHaltProcedure(BrokerExits::refused);
  }

  /** How often a broker has failed fatally. */
  static int refusals() {
    return refusals.get();
  }

  private static void refused(int status, @Nullable String message) {
    if (refusals.getAndIncrement() == 0 || log.isDebugEnabled()) {
      log.error("The Kafka broker failed with status {}: {}", status, message);
    }
    throw new IllegalStateException("the Kafka broker failed: " + message);
  }
}
