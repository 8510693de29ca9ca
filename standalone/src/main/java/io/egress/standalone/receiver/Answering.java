package io.egress.standalone.receiver;

/** How an endpoint answers what is genuine. */
@FunctionalInterface
public interface Answering {
  /** Both count from 1: deliveries to the endpoint, and the attempts seen of this one. */
  int status(int delivery, int attempt);

  static Answering healthy() {
    return (delivery, attempt) -> 200;
  }

  /** Answers 503 to the first attempts of the first deliveries. */
  static Answering failingAtFirst(int deliveries, int attempts) {
    return (delivery, attempt) -> delivery <= deliveries && attempt <= attempts ? 503 : 200;
  }
}
