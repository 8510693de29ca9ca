package io.egress.standalone.receiver;

import static java.util.Objects.requireNonNull;

/**
 * A request that reached an endpoint.
 *
 * @param attempt which one of its delivery, as far as this receiver has seen; 0 if it is not
 *     genuine
 * @param accepted whether it is the first of its delivery that was answered with success
 */
public record Arrival(String endpoint, Verdict verdict, int attempt, int status, boolean accepted) {
  public Arrival {
    requireNonNull(endpoint, "endpoint is null");
    requireNonNull(verdict, "verdict is null");
  }

  /** Accepted after earlier attempts of its delivery were not. */
  public boolean recovered() {
    return accepted && attempt > 1;
  }
}
