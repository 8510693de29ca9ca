package io.egress.standalone.receiver;

/**
 * A request received by an endpoint.
 *
 * @param attempt its number among the attempts of its delivery; 0 if the webhook is invalid
 * @param accepted whether it is the first successful attempt of its delivery
 */
public record Arrival(String endpoint, Verdict verdict, int attempt, int status, boolean accepted) {
  /** Accepted after a failed attempt of the same delivery. */
  public boolean recovered() {
    return accepted && attempt > 1;
  }
}
