package io.egress.platform.log;

import java.time.Instant;
import java.time.format.DateTimeFormatter;
import java.time.format.DateTimeFormatterBuilder;
import java.util.Locale;

/** Has a fixed length, so that lines sort as text. */
final class LineTime {
  private static final DateTimeFormatter FORM =
      new DateTimeFormatterBuilder().appendInstant(3).toFormatter(Locale.ROOT);

  private LineTime() {}

  static String of(Instant instant) {
    return FORM.format(instant);
  }
}
