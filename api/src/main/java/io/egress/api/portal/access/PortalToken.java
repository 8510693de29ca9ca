package io.egress.api.portal.access;

import static java.nio.charset.StandardCharsets.US_ASCII;

import io.vertx.core.buffer.Buffer;
import java.security.MessageDigest;
import java.security.NoSuchAlgorithmException;
import java.security.SecureRandom;
import java.util.Base64;
import java.util.Optional;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;

/** The token of a link or a session: 256 random bits, of which only a hash is stored. */
record PortalToken(String text) {
  private static final int BYTES = 32;
  private static final Pattern FORM = Pattern.compile("[A-Za-z0-9_-]{43}");
  private static final SecureRandom RANDOM = new SecureRandom();

  static PortalToken make() {
    byte[] bytes = new byte[BYTES];
    RANDOM.nextBytes(bytes);
    return new PortalToken(encoded(bytes));
  }

  /** Empty if {@link #make} cannot have created the text. */
  static Optional<PortalToken> read(@Nullable String text) {
    return text != null && FORM.matcher(text).matches()
        ? Optional.of(new PortalToken(text))
        : Optional.empty();
  }

  Buffer hash() {
    return Buffer.buffer(sha256(text));
  }

  /** Derives another secret, from which the token cannot be computed. */
  String derived(String purpose) {
    return encoded(sha256(purpose + ":" + text));
  }

  /** Tokens are never printed. */
  @Override
  public String toString() {
    return "PortalToken[withheld]";
  }

  private static String encoded(byte[] bytes) {
    return Base64.getUrlEncoder().withoutPadding().encodeToString(bytes);
  }

  private static byte[] sha256(String text) {
    try {
      return MessageDigest.getInstance("SHA-256").digest(text.getBytes(US_ASCII));
    } catch (NoSuchAlgorithmException everyJdkHasIt) {
      throw new IllegalStateException(everyJdkHasIt);
    }
  }
}
