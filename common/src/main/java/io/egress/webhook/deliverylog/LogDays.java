package io.egress.webhook.deliverylog;

import java.time.Clock;
import java.time.Duration;
import java.time.Instant;
import java.time.LocalDate;
import java.time.ZoneOffset;
import java.time.format.DateTimeFormatter;
import java.util.List;

/**
 * The days kept by the delivery log. There is a partition for each of them and for a few to come,
 * and none for earlier days ({@link LogMaintenance}).
 */
public final class LogDays {
  /** For clocks that run ahead, and for days in which no partition could be created. */
  static final int DAYS_AHEAD = 3;

  static final String DELIVERIES = "deliveries";
  static final String ATTEMPTS = "attempts";
  static final String PAGES = "pages";

  /** The tables that have a partition for each day. */
  static final List<String> TABLES = List.of(DELIVERIES, ATTEMPTS, PAGES);

  private static final DateTimeFormatter SUFFIX = DateTimeFormatter.ofPattern("uuuuMMdd");

  private final Clock clock;
  private final long keptDays;

  /** What is owed since shortly before a midnight is kept for all of {@code retention}, too. */
  public LogDays(Clock clock, Duration retention) {
    this.clock = clock;
    this.keptDays = retention.plusDays(1).minusNanos(1).toDays() + 1;
  }

  /**
   * The partition for a delivery that is owed since {@code owedAt}. Deliveries owed for longer than
   * the log is kept go into the oldest partition; those dated in the future, into today's.
   */
  public LocalDate of(Instant owedAt) {
    LocalDate owed = LocalDate.ofInstant(owedAt, ZoneOffset.UTC);
    LocalDate today = today();
    if (owed.isAfter(today.plusDays(DAYS_AHEAD))) {
      return today;
    }
    LocalDate first = first(today);
    return owed.isBefore(first) ? first : owed;
  }

  /** The start of the first day that is kept. */
  Instant since() {
    return first(today()).atStartOfDay(ZoneOffset.UTC).toInstant();
  }

  LocalDate today() {
    return LocalDate.ofInstant(clock.instant(), ZoneOffset.UTC);
  }

  /** The first day that is kept on {@code today}. */
  LocalDate first(LocalDate today) {
    return today.minusDays(keptDays - 1);
  }

  static String deliveries(LocalDate day) {
    return DELIVERIES + suffix(day);
  }

  static String attempts(LocalDate day) {
    return ATTEMPTS + suffix(day);
  }

  static String pages(LocalDate day) {
    return PAGES + suffix(day);
  }

  static String suffix(LocalDate day) {
    return "_" + SUFFIX.format(day);
  }
}
