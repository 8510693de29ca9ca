package io.egress.bench.torture;

/** A fault showed that a promise is broken. */
final class BrokenPromiseException extends RuntimeException {
  private static final long serialVersionUID = 1L;

  BrokenPromiseException(String message) {
    super(message);
  }
}
