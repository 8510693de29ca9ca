package io.egress.webhook.endpoint;

import java.io.Serial;

/** A signing secret was encrypted with a key that is missing from {@code EGRESS_SECRET_KEY}. */
public final class UnknownSecretKeyException extends RuntimeException {
  @Serial private static final long serialVersionUID = 1L;

  private final String keyId;

  UnknownSecretKeyException(String keyId) {
    super(
        "a signing secret was encrypted with the key \""
            + keyId
            + "\", which is not in EGRESS_SECRET_KEY");
    this.keyId = keyId;
  }

  public String keyId() {
    return keyId;
  }
}
