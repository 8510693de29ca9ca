package io.egress.webhook.endpoint;

import java.io.Serial;

/** An encrypted signing secret was altered, truncated, or belongs to another endpoint. */
public final class DamagedSecretException extends RuntimeException {
  @Serial private static final long serialVersionUID = 1L;

  DamagedSecretException(String message) {
    super(message);
  }
}
