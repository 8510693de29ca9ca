package io.egress.platform.environment;

import java.time.Duration;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/**
 * The format of durations in settings: a whole number and one unit, {@code 500ms}, {@code 10s},
 * {@code 24h}.
 */
public final class Durations {
  private static final Pattern FORM = Pattern.compile("(\\d{1,9})(ms|s|m|h|d)");

  private Durations() {}

  /** Throws {@link IllegalArgumentException} with a message that shows the format. */
  public static Duration parse(String text) {
    Matcher matcher = FORM.matcher(text);
    if (!matcher.matches()) {
      throw new IllegalArgumentException(
          "must be a whole number with a unit (ms, s, m, h or d), such as 10s, not \""
              + text
              + "\"");
    }
    long amount = Long.parseLong(matcher.group(1));
    return switch (matcher.group(2)) {
      case "ms" -> Duration.ofMillis(amount);
      case "s" -> Duration.ofSeconds(amount);
      case "m" -> Duration.ofMinutes(amount);
      case "h" -> Duration.ofHours(amount);
      default -> Duration.ofDays(amount);
    };
  }

  /**
   * The same text for equal durations, however they were written: topics are named after it. A day
   * is {@code 24h}.
   */
  public static String format(Duration duration) {
    long millis = duration.toMillis();
    if (millis % Duration.ofHours(1).toMillis() == 0) {
      return duration.toHours() + "h";
    }
    if (millis % Duration.ofMinutes(1).toMillis() == 0) {
      return duration.toMinutes() + "m";
    }
    return millis % Duration.ofSeconds(1).toMillis() == 0
        ? duration.toSeconds() + "s"
        : millis + "ms";
  }
}
