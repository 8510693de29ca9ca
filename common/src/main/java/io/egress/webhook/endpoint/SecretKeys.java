package io.egress.webhook.endpoint;

import java.nio.charset.StandardCharsets;
import java.security.MessageDigest;
import java.security.NoSuchAlgorithmException;
import java.util.Base64;
import java.util.HexFormat;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.regex.Pattern;
import javax.crypto.SecretKey;
import javax.crypto.spec.SecretKeySpec;
import org.jspecify.annotations.Nullable;

/**
 * The keys of {@code EGRESS_SECRET_KEY}. Each is found by its configured id and by the one derived
 * from it, so that naming a key later does not make earlier secrets unreadable.
 */
final class SecretKeys {
  static final int KEY_BYTES = 32;
  private static final int DERIVED_ID_BYTES = 6;
  private static final Pattern ID = Pattern.compile("[A-Za-z0-9._-]{1,64}");

  private final Map<String, SecretKey> byId = new LinkedHashMap<>();
  private final String firstId;

  private SecretKeys(String setting) {
    String[] parts = setting.split(",", -1);
    firstId = add(parts[0].strip());
    for (int i = 1; i < parts.length; i++) {
      add(parts[i].strip());
    }
  }

  /** Throws {@link IllegalArgumentException} that never shows a key. */
  static SecretKeys parse(String setting) {
    return new SecretKeys(setting);
  }

  String firstId() {
    return firstId;
  }

  @Nullable SecretKey key(String id) {
    return byId.get(id);
  }

  private String add(String part) {
    int colon = part.indexOf(':');
    byte[] key = decode(part.substring(colon + 1));
    String derived = derivedId(key);
    String id = colon < 0 ? derived : part.substring(0, colon);
    if (!ID.matcher(id).matches()) {
      throw new IllegalArgumentException(
          "a key's id must be 1 to 64 of the characters A-Z a-z 0-9 . _ -");
    }
    SecretKey secretKey = new SecretKeySpec(key, "AES");
    if (byId.put(derived, secretKey) != null) {
      throw new IllegalArgumentException("the same key is given twice");
    }
    if (!id.equals(derived) && byId.put(id, secretKey) != null) {
      throw new IllegalArgumentException("the key id \"" + id + "\" is given twice");
    }
    return id;
  }

  private static byte[] decode(String base64) {
    try {
      byte[] key = Base64.getDecoder().decode(base64.replace('-', '+').replace('_', '/'));
      if (key.length == KEY_BYTES) {
        return key;
      }
    } catch (IllegalArgumentException notBase64) {
      // Reported below; the decoder's own message would show part of the key.
    }
    throw new IllegalArgumentException(
        "must be the base64 form of 32 bytes, or several, each with an id, as id:base64,id:base64");
  }

  private static String derivedId(byte[] key) {
    try {
      MessageDigest sha256 = MessageDigest.getInstance("SHA-256");
      sha256.update("transcript-egress secret key id".getBytes(StandardCharsets.US_ASCII));
      return "k" + HexFormat.of().formatHex(sha256.digest(key), 0, DERIVED_ID_BYTES);
    } catch (NoSuchAlgorithmException everyJdkHasIt) {
      throw new IllegalStateException(everyJdkHasIt);
    }
  }
}
