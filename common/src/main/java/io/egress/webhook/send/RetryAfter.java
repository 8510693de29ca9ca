package io.egress.webhook.send;

import io.netty.handler.codec.DateFormatter;
import java.time.Duration;
import java.time.Instant;
import java.util.Date;
import java.util.Optional;
import java.util.Set;
import java.util.regex.Pattern;

/** For how long a receiver that is overloaded wants to be left alone (RFC 9110, 10.2.3). */
public final class RetryAfter {
  private static final Set<Integer> STATUSES = Set.of(429, 503);
  static final String HEADER = "retry-after";

  /** Longer numbers are longer than any schedule. */
  private static final Pattern SECONDS = Pattern.compile("[0-9]{1,9}");

  private RetryAfter() {}

  /** Empty if the receiver did not say so, or in no readable way. */
  public static Optional<Duration> of(Outcome.Failed failed, Instant now) {
    return failed.status() == null || !STATUSES.contains(failed.status())
        ? Optional.empty()
        : Optional.ofNullable(failed.exchanged().retryAfter())
            .flatMap(value -> delay(value.strip(), now));
  }

  private static Optional<Duration> delay(String value, Instant now) {
    if (SECONDS.matcher(value).matches()) {
      return Optional.of(Duration.ofSeconds(Long.parseLong(value)));
    }
    Date date = DateFormatter.parseHttpDate(value);
    return date == null
        ? Optional.empty()
        : Optional.of(Duration.between(now, date.toInstant())).filter(Duration::isPositive);
  }
}
