package io.egress.standalone.receiver;

/** How an endpoint answers valid webhooks. */
@FunctionalInterface
public interface Answering {
  /**
   * Returns the status. Both count from 1: the endpoint's deliveries, and the attempts of this one.
   */
  int status(int delivery, int attempt);

  static Answering healthy() {
    return (_, _) -> 200;
  }

  /** Answers 503 to the first attempts of the first deliveries. */
  static Answering failingAtFirst(int deliveries, int attempts) {
    return (delivery, attempt) -> delivery <= deliveries && attempt <= attempts ? 503 : 200;
  }
}
