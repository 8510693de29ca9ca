package io.egress.database;

import org.jspecify.annotations.Nullable;

/** No server of the database's URL takes writes at the moment. */
final class NoPrimaryException extends RuntimeException {
  private static final long serialVersionUID = 1L;

  NoPrimaryException(String message, @Nullable Throwable cause) {
    super(message, cause, false, false);
  }

  /** Operators read it in the log, where the name of the class would say nothing. */
  @Override
  @SuppressWarnings("OverrideThrowableToString")
  public String toString() {
    return String.valueOf(getMessage());
  }
}
