package io.egress.log;

import ch.qos.logback.core.PropertyDefinerBase;
import io.egress.settings.LogSettings;
import org.slf4j.event.Level;

/**
 * The level that the environment asks for, or {@code atLeast} where that is the quieter one: what
 * libraries have to say does not become more because the service is asked to say more.
 */
public final class LevelDefiner extends PropertyDefinerBase {
  private Level atLeast = Level.TRACE;

  public void setAtLeast(String level) {
    atLeast = Level.valueOf(level);
  }

  @Override
  public String getPropertyValue() {
    Level asked = LogSettings.orDefaults(System.getenv()).level();
    return (asked.toInt() > atLeast.toInt() ? asked : atLeast).name();
  }
}
