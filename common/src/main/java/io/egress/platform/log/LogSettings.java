package io.egress.platform.log;

import io.egress.platform.environment.SettingsReader;
import java.util.Arrays;
import java.util.Locale;
import java.util.Map;
import java.util.stream.Collectors;
import org.slf4j.event.Level;

/**
 * Settings of the log.
 *
 * @param level the lowest level of the service's own lines
 * @param access whether each request is logged, at any level
 */
public record LogSettings(Format format, Level level, boolean access) {
  /** Both write one line per event; in text, the stack trace of an exception follows. */
  public enum Format {
    TEXT,
    JSON
  }

  /**
   * For the logging itself, which starts before the settings are validated: invalid values are
   * replaced by their defaults here, and reported by the start.
   */
  public static LogSettings orDefaults(Map<String, String> environment) {
    return read(new SettingsReader(environment));
  }

  public static LogSettings read(SettingsReader reader) {
    return new LogSettings(
        reader.parsed(
            "EGRESS_LOG_FORMAT",
            "text",
            "format of the log: text or json",
            text -> oneOf(Format.values(), text)),
        reader.parsed(
            "EGRESS_LOG_LEVEL",
            "info",
            "level of the service's own log lines: error, warn, info, debug or trace",
            text -> oneOf(Level.values(), text)),
        reader.flag("EGRESS_ACCESS_LOG", true, "whether each request is logged"));
  }

  private static <T extends Enum<T>> T oneOf(T[] values, String text) {
    return Arrays.stream(values)
        .filter(value -> value.name().equalsIgnoreCase(text))
        .findFirst()
        .orElseThrow(() ->
            new IllegalArgumentException(
                "must be one of "
                    + Arrays.stream(values)
                        .map(value -> value.name().toLowerCase(Locale.ROOT))
                        .collect(Collectors.joining(", "))
                    + ", not \""
                    + text
                    + "\""));
  }
}
