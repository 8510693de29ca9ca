package io.egress.embedded;

import org.apache.kafka.common.utils.Exit;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Kafka ends the process when a broker fails for good. A broker that is a guest in somebody's
 * process only ends its own thread; the clients then see a broker that is away.
 */
final class BrokerExits {
  private static final Logger log = LoggerFactory.getLogger(BrokerExits.class);

  private BrokerExits() {}

  static void refuse() {
    Exit.setExitProcedure(BrokerExits::refused);
    Exit.setHaltProcedure(BrokerExits::refused);
  }

  private static void refused(int status, @Nullable String message) {
    log.error("the Kafka broker failed and wanted to end the process: {} ({})", message, status);
    throw new IllegalStateException("the Kafka broker failed: " + message);
  }
}
