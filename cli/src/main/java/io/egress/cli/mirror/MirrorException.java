package io.egress.cli.mirror;

import java.io.Serial;

/** Ends the command; the message is the sentence that the user reads. */
final class MirrorException extends RuntimeException {
  @Serial private static final long serialVersionUID = 1L;

  MirrorException(String message) {
    super(message);
  }

  MirrorException(String message, Throwable cause) {
    super(message, cause);
  }
}
