package io.egress.api.admin.keys;

import static java.util.Objects.requireNonNull;

import io.vertx.core.buffer.Buffer;
import java.nio.charset.StandardCharsets;
import java.security.MessageDigest;
import java.security.NoSuchAlgorithmException;
import java.security.SecureRandom;
import java.util.Optional;
import java.util.regex.Pattern;

/**
 * A workspace's key for pulling. Its 32 random characters have 190 bits of entropy, so a plain
 * SHA-256 is as safe to store as a slow hash, and can be looked up by index.
 */
public record ApiKey(String token) {
  private static final String PREFIX = "service_";
  private static final String FILTERED = "filtered:";
  private static final int RANDOM_CHARS = 32;
  private static final int SHOWN_CHARS = 4;
  private static final String ALPHABET =
      "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789";
  private static final Pattern FORM = Pattern.compile(PREFIX + "[A-Za-z0-9]{" + RANDOM_CHARS + "}");
  private static final Pattern BEARER = Pattern.compile("[Bb][Ee][Aa][Rr][Ee][Rr] +(\\S+) *");
  private static final SecureRandom RANDOM = new SecureRandom();

  public ApiKey {
    requireNonNull(token, "token is null");
  }

  static ApiKey mint() {
    StringBuilder token = new StringBuilder(PREFIX);
    for (int i = 0; i < RANDOM_CHARS; i++) {
      token.append(ALPHABET.charAt(RANDOM.nextInt(ALPHABET.length())));
    }
    return new ApiKey(token.toString());
  }

  /** The key in an {@code Authorization} header; empty if it cannot be one. */
  public static Optional<ApiKey> fromHeader(String authorization) {
    var bearer = BEARER.matcher(authorization);
    return bearer.matches() && FORM.matcher(bearer.group(1)).matches()
        ? Optional.of(new ApiKey(bearer.group(1)))
        : Optional.empty();
  }

  /** What it may be stored as: without a filter, or with one. */
  public Buffer[] hashes() {
    return new Buffer[] {hash(false), hash(true)};
  }

  /** Earlier releases, which know no filters, do not find a key with one. */
  Buffer hash(boolean filtered) {
    return Buffer.buffer(sha256(filtered ? FILTERED + token : token));
  }

  private static byte[] sha256(String text) {
    try {
      return MessageDigest.getInstance("SHA-256").digest(text.getBytes(StandardCharsets.US_ASCII));
    } catch (NoSuchAlgorithmException everyJdkHasIt) {
      throw new IllegalStateException(everyJdkHasIt);
    }
  }

  String lastFour() {
    return token.substring(token.length() - SHOWN_CHARS);
  }

  /** Keys are never printed. */
  @Override
  public String toString() {
    return "ApiKey[withheld]";
  }
}
