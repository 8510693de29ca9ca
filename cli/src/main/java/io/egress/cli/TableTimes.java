package io.egress.cli;

import java.time.Clock;
import java.time.Duration;
import java.time.Instant;
import java.time.LocalDate;
import java.time.LocalDateTime;
import java.time.ZoneOffset;
import java.time.format.DateTimeFormatter;
import java.time.format.DateTimeParseException;
import java.util.Locale;

/**
 * Times in tables, in UTC: the minute, without the day if that is today; the day if it is long ago.
 */
final class TableTimes {
  private static final Duration RECENT = Duration.ofDays(180);
  private static final DateTimeFormatter MINUTE =
      DateTimeFormatter.ofPattern("MM-dd HH:mm", Locale.ROOT);
  private static final DateTimeFormatter TODAY = DateTimeFormatter.ofPattern("HH:mm", Locale.ROOT);

  private final Clock clock;

  TableTimes(Clock clock) {
    this.clock = clock;
  }

  /** At most 11 columns wide; {@code text} itself if it is not a time. */
  String of(String text) {
    Instant time;
    try {
      time = Instant.parse(text);
    } catch (DateTimeParseException notOne) {
      return text;
    }
    Instant now = clock.instant();
    LocalDateTime utc = LocalDateTime.ofInstant(time, ZoneOffset.UTC);
    if (utc.toLocalDate().equals(LocalDate.ofInstant(now, ZoneOffset.UTC))) {
      return TODAY.format(utc);
    }
    boolean recent = Duration.between(time, now).abs().compareTo(RECENT) < 0;
    return recent ? MINUTE.format(utc) : utc.toLocalDate().toString();
  }
}
