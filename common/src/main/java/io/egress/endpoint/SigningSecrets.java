package io.egress.endpoint;

import java.security.SecureRandom;
import java.util.Base64;

/** Makes the secrets that endpoints verify webhooks with. */
public final class SigningSecrets {
  private static final String PREFIX = "whsec_";
  private static final int RANDOM_BYTES = 32;
  private static final SecureRandom RANDOM = new SecureRandom();

  private SigningSecrets() {}

  /**
   * A new secret. The key of the HMAC is the whole text in UTF-8, prefix included, so that a
   * receiver passes on what it was handed without decoding anything.
   */
  public static String generate() {
    byte[] bytes = new byte[RANDOM_BYTES];
    RANDOM.nextBytes(bytes);
    return PREFIX + Base64.getUrlEncoder().withoutPadding().encodeToString(bytes);
  }
}
