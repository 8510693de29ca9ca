package io.egress.api.intake;

import java.time.DateTimeException;
import java.time.Instant;
import java.time.OffsetDateTime;
import java.time.ZoneOffset;
import java.util.Locale;
import java.util.Optional;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/**
 * Instants in RFC 3339 format, truncated to milliseconds. {@link OffsetDateTime#parse} alone is too
 * lenient: it accepts missing seconds, offsets with seconds, and years of more than four digits.
 */
public final class Rfc3339 {
  private static final Pattern FORM =
      Pattern.compile(
          "(\\d{4}-\\d{2}-\\d{2}[Tt]\\d{2}:\\d{2}:\\d{2})(?:(\\.\\d{1,3})\\d{0,30})?"
              + "([Zz]|[+-]\\d{2}:\\d{2})");
  private static final int YEAR_MIN = 1;
  private static final int YEAR_MAX = 9999;

  private Rfc3339() {}

  public static Optional<Instant> read(String text) {
    Matcher form = FORM.matcher(text);
    if (!form.matches()) {
      return Optional.empty();
    }
    String milliseconds = form.group(2) == null ? "" : form.group(2);
    String cut = form.group(1) + milliseconds + form.group(3);
    try {
      Instant instant = OffsetDateTime.parse(cut.toUpperCase(Locale.ROOT)).toInstant();
      int year = instant.atOffset(ZoneOffset.UTC).getYear();
      return year < YEAR_MIN || year > YEAR_MAX ? Optional.empty() : Optional.of(instant);
    } catch (DateTimeException noSuchDate) {
      return Optional.empty();
    }
  }
}
