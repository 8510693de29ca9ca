package io.egress.api.intake;

import io.egress.platform.http.Refusal;
import io.vertx.core.MultiMap;
import java.time.Instant;
import org.jspecify.annotations.Nullable;

/**
 * A time that is not empty.
 *
 * @param from its first instant; null for the beginning
 * @param to the instant after it; null for the end
 */
public record Period(@Nullable Instant from, @Nullable Instant to) {
  private static final String PROBLEM = "must be after from";

  /** Throws {@link Refusal} with status 400. */
  public static Period of(MultiMap query) {
    Period period =
        new Period(QueryValues.instant(query, "from"), QueryValues.instant(query, "to"));
    if (period.isEmpty()) {
      throw new Refusal(400, "to " + PROBLEM);
    }
    return period;
  }

  static Period of(Fields fields) {
    Period period = new Period(fields.optionalInstant("from"), fields.optionalInstant("to"));
    if (period.isEmpty()) {
      fields.fault("to", PROBLEM);
    }
    return period;
  }

  private boolean isEmpty() {
    return from != null && to != null && !to.isAfter(from);
  }
}
