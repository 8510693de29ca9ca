package io.egress.api.portal.view;

import java.time.Duration;
import java.time.Instant;
import java.time.temporal.ChronoUnit;
import java.util.Arrays;
import java.util.Locale;
import java.util.Optional;

/** A beginning of a replay that nobody has to type. */
public enum ReplayStart {
  HOUR("an hour ago"),
  YESTERDAY("yesterday, 00:00"),
  WEEK("7 days ago");

  private final String label;

  ReplayStart(String label) {
    this.label = label;
  }

  public String label() {
    return label;
  }

  /** The value of the form's field. */
  public String word() {
    return name().toLowerCase(Locale.ROOT);
  }

  public static Optional<ReplayStart> find(String word) {
    return Arrays.stream(values()).filter(each -> each.word().equals(word)).findFirst();
  }

  public Instant before(Instant now) {
    return switch (this) {
      case HOUR -> now.minus(Duration.ofHours(1));
      case YESTERDAY -> now.truncatedTo(ChronoUnit.DAYS).minus(Duration.ofDays(1));
      case WEEK -> now.minus(Duration.ofDays(7));
    };
  }
}
