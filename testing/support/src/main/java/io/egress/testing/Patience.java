package io.egress.testing;

import java.time.Duration;
import org.awaitility.Awaitility;
import org.junit.platform.launcher.LauncherSession;
import org.junit.platform.launcher.LauncherSessionListener;

/**
 * How long all tests await a condition, unless they name a limit: long enough for a slow machine
 * that does other things, too. A limit of its own says what the service promises, or that the
 * condition takes even longer.
 */
public final class Patience implements LauncherSessionListener {
  static final Duration MAX = Duration.ofMinutes(1);

  @Override
  public void launcherSessionOpened(LauncherSession session) {
    Awaitility.setDefaultTimeout(MAX);
  }
}
