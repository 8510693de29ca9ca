package io.egress.endpoint;

import java.io.Serial;

/** A signing secret was encrypted with a key that {@code EGRESS_SECRET_KEY} does not hold. */
public final class UnknownSecretKeyException extends RuntimeException {
  @Serial private static final long serialVersionUID = 1L;

  private final String keyId;

  UnknownSecretKeyException(String keyId) {
    super(
        "a signing secret was encrypted with the key \""
            + keyId
            + "\", which EGRESS_SECRET_KEY does not hold");
    this.keyId = keyId;
  }

  public String keyId() {
    return keyId;
  }
}
