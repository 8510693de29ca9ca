package io.egress.settings;

import static java.util.Objects.requireNonNull;

import java.util.Arrays;
import java.util.Locale;
import java.util.Map;
import java.util.stream.Collectors;
import org.slf4j.event.Level;

/**
 * How the process tells what happens.
 *
 * @param level the least that the service's own lines must be worth
 * @param access whether each request is logged, at any level
 */
public record LogSettings(Format format, Level level, boolean access) {
  /** One line an event either way; text lets the trace of an exception follow. */
  public enum Format {
    TEXT,
    JSON
  }

  public LogSettings {
    requireNonNull(format, "format is null");
    requireNonNull(level, "level is null");
  }

  /**
   * For the logging itself, which is there before the settings are judged: what cannot be used
   * gives way to its default here, and is reported by {@link Settings#from}.
   */
  public static LogSettings orDefaults(Map<String, String> environment) {
    return read(new SettingsReader(environment));
  }

  static LogSettings read(SettingsReader reader) {
    return new LogSettings(
        reader.parsed(
            "EGRESS_LOG_FORMAT",
            "text",
            "how lines of the log are written: text or json",
            text -> oneOf(Format.values(), text)),
        reader.parsed(
            "EGRESS_LOG_LEVEL",
            "info",
            "what is logged of the service itself: error, warn, info, debug or trace",
            text -> oneOf(Level.values(), text)),
        reader.flag(
            "EGRESS_ACCESS_LOG", true, "whether a line is logged for each request answered"));
  }

  private static <T extends Enum<T>> T oneOf(T[] values, String text) {
    return Arrays.stream(values)
        .filter(value -> value.name().equalsIgnoreCase(text))
        .findFirst()
        .orElseThrow(
            () ->
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
