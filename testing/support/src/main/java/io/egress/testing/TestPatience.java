package io.egress.testing;

import java.time.Duration;
import org.awaitility.Awaitility;
import org.junit.platform.launcher.LauncherSession;
import org.junit.platform.launcher.LauncherSessionListener;

/**
 * How long all tests await a condition, and how long they may take, unless they name a limit: long
 * enough for a slow machine that does other things, too. A limit of its own says what the service
 * promises, or that it takes even longer.
 */
public final class TestPatience implements LauncherSessionListener {
  static final Duration MAX = Duration.ofMinutes(1);

  static final String TIME_LIMIT = "junit.jupiter.execution.timeout.default";

  /** Only a test that hangs takes so long. */
  static final String TIME_MAX = "10 m";

  @Override
  public void launcherSessionOpened(LauncherSession session) {
    Awaitility.setDefaultTimeout(MAX);
    System.setProperty(TIME_LIMIT, TIME_MAX);
    System.setProperty("junit.jupiter.execution.timeout.mode", "disabled_on_debug");
  }
}
