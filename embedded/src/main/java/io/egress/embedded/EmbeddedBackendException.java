package io.egress.embedded;

/** A server could not be started; the message says why. */
public final class EmbeddedBackendException extends RuntimeException {
  private static final long serialVersionUID = 1L;

  EmbeddedBackendException(String message) {
    super(message);
  }

  EmbeddedBackendException(String message, Throwable cause) {
    super(message, cause);
  }
}
