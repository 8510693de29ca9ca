package io.egress.cli;

import java.time.Clock;
import java.time.DateTimeException;
import java.time.Duration;
import java.time.Instant;
import java.time.LocalDate;
import java.time.LocalDateTime;
import java.time.ZoneOffset;
import java.time.temporal.ChronoUnit;
import java.util.Locale;
import java.util.Map;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import picocli.CommandLine.ITypeConverter;
import picocli.CommandLine.TypeConversionException;

/** Instants as people type them; all are UTC. */
final class Instants implements ITypeConverter<Instant> {
  static final String FORMS =
      "2026-01-31, 2026-01-31T09:30, today, yesterday, or 2h for two hours ago";

  private static final Pattern AGO = Pattern.compile("(\\d{1,6})(s|m|h|d)");
  private static final Map<String, ChronoUnit> UNITS =
      Map.of(
          "s",
          ChronoUnit.SECONDS,
          "m",
          ChronoUnit.MINUTES,
          "h",
          ChronoUnit.HOURS,
          "d",
          ChronoUnit.DAYS);

  private final Clock clock;

  Instants(Clock clock) {
    this.clock = clock;
  }

  @Override
  public Instant convert(String text) {
    Instant now = clock.instant().truncatedTo(ChronoUnit.SECONDS);
    Matcher ago = AGO.matcher(text);
    if (ago.matches()) {
      return now.minus(
          Duration.of(
              Long.parseLong(ago.group(1)), UNITS.getOrDefault(ago.group(2), ChronoUnit.DAYS)));
    }
    LocalDate today = LocalDate.ofInstant(now, ZoneOffset.UTC);
    try {
      return switch (text.toLowerCase(Locale.ROOT)) {
        case "now" -> now;
        case "today" -> startOf(today);
        case "yesterday" -> startOf(today.minusDays(1));
        default -> parse(text);
      };
    } catch (DateTimeException unreadable) {
      throw new TypeConversionException("'" + text + "' is not a time: write " + FORMS);
    }
  }

  private static Instant parse(String text) {
    if (!text.contains("T")) {
      return startOf(LocalDate.parse(text));
    }
    return text.endsWith("Z")
        ? Instant.parse(text)
        : LocalDateTime.parse(text).toInstant(ZoneOffset.UTC);
  }

  private static Instant startOf(LocalDate day) {
    return day.atStartOfDay().toInstant(ZoneOffset.UTC);
  }
}
