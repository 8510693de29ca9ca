package io.egress.platform.json;

import java.time.Instant;
import java.time.LocalDateTime;
import java.time.ZoneOffset;

/**
 * The format of instants in documents: UTC with exactly three fraction digits, for years 0001 to
 * 9999.
 */
public final class UtcInstant {
  private static final char[] FORM = "0000-00-00T00:00:00.000Z".toCharArray();

  private UtcInstant() {}

  public static String format(Instant instant) {
    LocalDateTime time = LocalDateTime.ofInstant(instant, ZoneOffset.UTC);
    char[] text = FORM.clone();
    digits(text, 0, 4, time.getYear());
    digits(text, 5, 2, time.getMonthValue());
    digits(text, 8, 2, time.getDayOfMonth());
    digits(text, 11, 2, time.getHour());
    digits(text, 14, 2, time.getMinute());
    digits(text, 17, 2, time.getSecond());
    digits(text, 20, 3, time.getNano() / 1_000_000);
    return new String(text);
  }

  private static void digits(char[] text, int start, int count, int value) {
    int rest = value;
    for (int i = start + count - 1; i >= start; i--) {
      text[i] = (char) ('0' + rest % 10);
      rest /= 10;
    }
  }
}
