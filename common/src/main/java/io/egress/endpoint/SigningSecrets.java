package io.egress.endpoint;

import java.security.SecureRandom;
import java.util.Base64;

/** Creates the secrets that sign webhooks. */
public final class SigningSecrets {
  private static final String PREFIX = "whsec_";
  private static final int RANDOM_BYTES = 32;
  private static final SecureRandom RANDOM = new SecureRandom();

  private SigningSecrets() {}

  /**
   * A new secret. The HMAC key is the whole text in UTF-8, prefix included, so that a receiver can
   * use the secret without decoding it.
   */
  public static String generate() {
    byte[] bytes = new byte[RANDOM_BYTES];
    RANDOM.nextBytes(bytes);
    return PREFIX + Base64.getUrlEncoder().withoutPadding().encodeToString(bytes);
  }
}
