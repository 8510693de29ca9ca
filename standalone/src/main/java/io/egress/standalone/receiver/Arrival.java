package io.egress.standalone.receiver;

import static java.util.Objects.requireNonNull;

/**
 * A request that reached an endpoint.
 *
 * @param attempt its number among the attempts of its delivery seen here; 0 if it is not genuine
 * @param accepted whether it is the first successful attempt of its delivery
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
