package io.egress.standalone.receiver;

import static java.util.Objects.requireNonNull;

/**
 * A request that reached an endpoint.
 *
 * @param attempt which one of its delivery, as far as this receiver has seen; 0 if it is not
 *     genuine
 * @param recovered whether it is the first that was accepted after others of its delivery were not
 */
public record Arrival(
    String endpoint, Verdict verdict, int attempt, int status, boolean recovered) {
  public Arrival {
    requireNonNull(endpoint, "endpoint is null");
    requireNonNull(verdict, "verdict is null");
  }
}
