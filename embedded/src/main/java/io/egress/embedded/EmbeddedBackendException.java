package io.egress.embedded;

/** A server could not be started, for a reason that its message tells whoever started it. */
public final class EmbeddedBackendException extends RuntimeException {
  private static final long serialVersionUID = 1L;

  EmbeddedBackendException(String message) {
    super(message);
  }

  EmbeddedBackendException(String message, Throwable cause) {
    super(message, cause);
  }
}
