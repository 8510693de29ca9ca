package io.egress.api.portal.view;

import io.egress.platform.environment.Durations;
import io.egress.platform.json.UtcInstant;
import java.time.Duration;
import java.time.Instant;
import java.util.Locale;
import org.jspecify.annotations.Nullable;

/** Formats times and numbers for people. All times are in UTC. */
public final class Times {
  private static final int DATE_CHARS = "2026-01-31".length();
  private static final int TIME_CHARS = "2026-01-31T09:30:00".length();

  private Times() {}

  public static String iso(Instant at) {
    return UtcInstant.format(at);
  }

  /** With seconds. */
  public static String shown(Instant at) {
    String iso = UtcInstant.format(at);
    return iso.substring(0, DATE_CHARS) + " " + iso.substring(DATE_CHARS + 1, TIME_CHARS);
  }

  /** In the largest unit of which there is at least one. */
  public static String age(Instant since, Instant now) {
    Duration age = Duration.between(since, now);
    if (age.toDays() > 0) {
      return age.toDays() + " d";
    }
    if (age.toHours() > 0) {
      return age.toHours() + " h";
    }
    return age.toMinutes() > 0 ? age.toMinutes() + " min" : Math.max(1, age.toSeconds()) + " s";
  }

  /** In words, after what happened. */
  public static String ago(Instant at, Instant now) {
    return Duration.between(at, now).toSeconds() < 1 ? "just now" : age(at, now) + " ago";
  }

  /** How long something is kept; null for good. */
  public static String kept(@Nullable Duration retention) {
    if (retention == null) {
      return "for good";
    }
    return length(retention);
  }

  public static String length(Duration duration) {
    return duration.equals(Duration.ofDays(duration.toDays()))
        ? duration.toDays() + " d"
        : Durations.format(duration);
  }

  /** With thousands separators. */
  public static String number(long number) {
    return String.format(Locale.ROOT, "%,d", number);
  }
}
