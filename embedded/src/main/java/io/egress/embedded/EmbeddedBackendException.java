package io.egress.embedded;

/** A server could not be started; the message says why. */
public final class EmbeddedBackendException extends RuntimeException {
  private static final long serialVersionUID = 1L;

  public EmbeddedBackendException(String message) {
    super(message);
  }

  public EmbeddedBackendException(String message, Throwable cause) {
    super(message, cause);
  }
}
