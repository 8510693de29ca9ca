package io.egress.api.intake;

import java.time.DateTimeException;
import java.time.Duration;
import java.time.Instant;
import java.time.LocalDateTime;
import java.time.LocalTime;
import java.time.OffsetDateTime;
import java.time.ZoneOffset;
import java.util.Optional;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/**
 * Instants in RFC 3339 format, truncated to milliseconds. {@link OffsetDateTime#parse} is too
 * lenient: it accepts missing seconds, offsets with seconds, and years of more than four digits;
 * and slow.
 */
public final class Rfc3339 {
  private static final Pattern FORM =
      Pattern.compile(
          "(\\d{4})-(\\d{2})-(\\d{2})[Tt](\\d{2}):(\\d{2}):(\\d{2})"
              + "(?:\\.(\\d{1,3})\\d{0,30})?(?:[Zz]|([+-])(\\d{2}):(\\d{2}))");
  private static final int YEAR_MIN = 1;
  private static final int YEAR_MAX = 9999;

  private Rfc3339() {}

  public static Optional<Instant> read(String text) {
    Matcher form = FORM.matcher(text);
    if (!form.matches()) {
      return Optional.empty();
    }
    String fraction = form.group(7);
    try {
      LocalDateTime there =
          LocalDateTime.of(
              number(form, 1),
              number(form, 2),
              number(form, 3),
              number(form, 4),
              number(form, 5),
              number(form, 6),
              fraction == null
                  ? 0
                  : Integer.parseInt((fraction + "00").substring(0, 3)) * 1_000_000);
      LocalDateTime at = there.minus(offset(form));
      return at.getYear() < YEAR_MIN || at.getYear() > YEAR_MAX
          ? Optional.empty()
          : Optional.of(at.toInstant(ZoneOffset.UTC));
    } catch (DateTimeException noSuchDate) {
      return Optional.empty();
    }
  }

  /** Up to a day, which is more than a {@link ZoneOffset} can say. */
  private static Duration offset(Matcher form) {
    String sign = form.group(8);
    if (sign == null) {
      return Duration.ZERO;
    }
    LocalTime offset = LocalTime.of(number(form, 9), number(form, 10));
    Duration ahead = Duration.ofSeconds(offset.toSecondOfDay());
    return sign.equals("-") ? ahead.negated() : ahead;
  }

  private static int number(Matcher form, int group) {
    return Integer.parseInt(form.group(group));
  }
}
