package io.egress.embedded;

import java.util.concurrent.atomic.AtomicInteger;
import org.apache.kafka.common.utils.Exit;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Kafka ends the process when a broker fails for good, for instance when it cannot write to its
 * disk. A broker that is a guest in somebody's process only fails, and is started again.
 */
final class BrokerExits {
  private static final Logger log = LoggerFactory.getLogger(BrokerExits.class);

  /** Kafka does not say which of the process' brokers it was. Nearly always there is one. */
  private static final AtomicInteger refusals = new AtomicInteger();

  private BrokerExits() {}

  static void refuse() {
    Exit.setExitProcedure(BrokerExits::refused);
    Exit.setHaltProcedure(BrokerExits::refused);
  }

  /** How often a broker has failed for good so far. */
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
