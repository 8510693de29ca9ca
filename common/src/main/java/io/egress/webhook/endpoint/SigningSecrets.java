package io.egress.webhook.endpoint;

import static java.nio.charset.StandardCharsets.UTF_8;

import java.security.SecureRandom;
import java.util.Base64;

/** Creates the secrets that sign webhooks, and shows them in the form of other verifiers. */
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

  /** What is secret of it, in either form. */
  public static String withoutPrefix(String secret) {
    return secret.startsWith(PREFIX) ? secret.substring(PREFIX.length()) : secret;
  }

  /**
   * The secret as libraries for Standard Webhooks expect it. They remove the prefix and decode the
   * rest from base64, so what they decode has to be the whole text of {@code secret}: the HMAC key.
   */
  public static String inStandardForm(String secret) {
    return PREFIX + Base64.getEncoder().encodeToString(secret.getBytes(UTF_8));
  }
}
