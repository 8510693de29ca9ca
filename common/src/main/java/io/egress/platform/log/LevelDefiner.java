package io.egress.platform.log;

import ch.qos.logback.core.PropertyDefinerBase;
import org.slf4j.event.Level;

/**
 * The configured level, or {@code atLeast} if that is quieter: libraries do not log more because
 * the service is configured to.
 */
public final class LevelDefiner extends PropertyDefinerBase {
  private Level atLeast = Level.TRACE;

  public void setAtLeast(String level) {
    atLeast = Level.valueOf(level);
  }

  @Override
  public String getPropertyValue() {
    Level configured = LogSettings.orDefaults(System.getenv()).level();
    return (configured.toInt() > atLeast.toInt() ? configured : atLeast).name();
  }
}
