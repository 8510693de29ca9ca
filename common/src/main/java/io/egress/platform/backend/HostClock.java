package io.egress.platform.backend;

import java.time.Duration;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** Logs when the host's clock and PostgreSQL's begin and cease to differ. */
final class HostClock {
  private static final Logger log = LoggerFactory.getLogger(HostClock.class);

  private static final Duration DIFFERENCE_MAX = Duration.ofMinutes(1);

  private boolean isWrong;

  synchronized void isAhead(Duration ahead) {
    boolean wrong = ahead.abs().compareTo(DIFFERENCE_MAX) > 0;
    if (wrong && !isWrong) {
      log.warn(
          "The clock of this host is {} s {} PostgreSQL's, which the service goes by. Set one of the two",
          ahead.abs().toSeconds(),
          ahead.isNegative() ? "behind" : "ahead of");
    } else if (isWrong && !wrong) {
      log.info("The clocks of this host and of PostgreSQL agree again");
    }
    isWrong = wrong;
  }
}
