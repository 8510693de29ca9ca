package io.egress.webhook.deliverylog;

import static java.util.Objects.requireNonNull;

/** An attempt in the delivery log; the first has number 1. */
public record LoggedAttempt(int number, MadeAttempt made) {
  public LoggedAttempt {
    requireNonNull(made, "made is null");
  }
}
