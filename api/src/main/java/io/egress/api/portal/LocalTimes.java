package io.egress.api.portal;

import java.time.Instant;
import java.time.format.DateTimeParseException;
import java.util.regex.Pattern;

/** Values of a browser's datetime-local fields, which have no time zone; pages label them UTC. */
final class LocalTimes {
  private static final Pattern LOCAL_TIME =
      Pattern.compile("\\d{4}-\\d{2}-\\d{2}T\\d{2}:\\d{2}(:\\d{2})?");

  private static final int MINUTES_CHARS = "2026-01-31T09:30".length();

  private LocalTimes() {}

  static boolean isTime(String text) {
    try {
      Instant.parse(instant(text));
      return true;
    } catch (DateTimeParseException notOne) {
      return false;
    }
  }

  /** The instant as the internal API expects it; other texts are returned unchanged. */
  static String instant(String text) {
    return LOCAL_TIME.matcher(text).matches()
        ? text + (text.length() == MINUTES_CHARS ? ":00Z" : "Z")
        : text;
  }
}
