package io.egress.deliverylog;

import static java.util.Objects.requireNonNull;

/** An attempt as the delivery log has it; the first has number 1. */
public record LoggedAttempt(int number, MadeAttempt made) {
  public LoggedAttempt {
    requireNonNull(made, "made is null");
  }
}
