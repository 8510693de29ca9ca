package io.egress.platform.database;

import org.jspecify.annotations.Nullable;

/** No server of the URL is suitable at the moment: none takes writes, or none is a standby. */
class NoServerException extends RuntimeException {
  private static final long serialVersionUID = 1L;

  private final boolean answered;

  /** {@code answered} tells whether each server answered that it is not suitable. */
  NoServerException(String message, @Nullable Throwable cause, boolean answered) {
    super(message, cause, false, false);
    this.answered = answered;
  }

  boolean answered() {
    return answered;
  }

  /** Operators read it in the log, where the name of the class would say nothing. */
  @Override
  @SuppressWarnings("OverrideThrowableToString")
  public String toString() {
    return String.valueOf(getMessage());
  }
}
