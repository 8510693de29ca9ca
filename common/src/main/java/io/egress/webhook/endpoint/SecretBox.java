package io.egress.webhook.endpoint;

import static java.nio.charset.StandardCharsets.US_ASCII;
import static java.nio.charset.StandardCharsets.UTF_8;

import java.nio.ByteBuffer;
import java.security.GeneralSecurityException;
import java.security.SecureRandom;
import java.util.Arrays;
import java.util.Base64;
import java.util.UUID;
import javax.crypto.AEADBadTagException;
import javax.crypto.Cipher;
import javax.crypto.SecretKey;
import javax.crypto.spec.GCMParameterSpec;

/**
 * Encrypts signing secrets at rest with AES-256-GCM. A sealed secret is bound to its endpoint, so
 * that a ciphertext copied into another endpoint's row does not open.
 *
 * <pre>
 *  version (1 byte) | length of the key id (1) | key id | nonce (12) | ciphertext and tag (16)
 * </pre>
 *
 * Everything before the nonce and the endpoint's id are authenticated, too.
 */
public final class SecretBox {
  private static final byte VERSION = 1;
  private static final int FIXED_HEADER_BYTES = 2;
  private static final int NONCE_BYTES = 12;
  private static final int TAG_BYTES = 16;
  private static final int UUID_BYTES = 16;

  private final SecretKeys keys;
  private final SecureRandom random = new SecureRandom();

  private SecretBox(SecretKeys keys) {
    this.keys = keys;
  }

  /**
   * Parses one or several comma-separated keys, each {@code id:base64} or plain base64 of 32 bytes.
   * The first one encrypts, all decrypt. Throws {@link IllegalArgumentException} that never shows a
   * key.
   */
  public static SecretBox parse(String setting) {
    return new SecretBox(SecretKeys.parse(setting));
  }

  /** A new key in the format of {@link #parse}. */
  public static String newKey() {
    byte[] key = new byte[SecretKeys.KEY_BYTES];
    new SecureRandom().nextBytes(key);
    return Base64.getEncoder().encodeToString(key);
  }

  public byte[] seal(String secret, UUID endpointId) {
    byte[] header = header(keys.firstId());
    byte[] plain = secret.getBytes(UTF_8);
    byte[] nonce = new byte[NONCE_BYTES];
    random.nextBytes(nonce);
    try {
      Cipher cipher =
          cipher(Cipher.ENCRYPT_MODE, key(keys.firstId()), nonce, associated(header, endpointId));
      return ByteBuffer.allocate(header.length + NONCE_BYTES + plain.length + TAG_BYTES)
          .put(header)
          .put(nonce)
          .put(cipher.doFinal(plain))
          .array();
    } catch (GeneralSecurityException everyJdkCan) {
      throw new IllegalStateException("AES-GCM failed", everyJdkCan);
    }
  }

  /**
   * Throws {@link UnknownSecretKeyException} if the key is not configured any more, and {@link
   * DamagedSecretException} if the bytes were not sealed for this endpoint.
   */
  public String open(byte[] sealed, UUID endpointId) {
    byte[] header = headerOf(sealed);
    SecretKey key = key(keyId(header));
    int nonceEnd = header.length + NONCE_BYTES;
    byte[] nonce = Arrays.copyOfRange(sealed, header.length, nonceEnd);
    try {
      Cipher cipher = cipher(Cipher.DECRYPT_MODE, key, nonce, associated(header, endpointId));
      return new String(cipher.doFinal(sealed, nonceEnd, sealed.length - nonceEnd), UTF_8);
    } catch (AEADBadTagException notWhatWasSealed) {
      throw new DamagedSecretException(
          "the signing secret of endpoint "
              + endpointId
              + " cannot be decrypted: altered or misplaced");
    } catch (GeneralSecurityException everyJdkCan) {
      throw new IllegalStateException("AES-GCM failed", everyJdkCan);
    }
  }

  /** Whether the key with this id encrypts. */
  public boolean isCurrent(String keyId) {
    return key(keys.firstId()).equals(keys.key(keyId));
  }

  /** Whether secrets sealed with this key can be opened. */
  public boolean isKnown(String keyId) {
    return keys.key(keyId) != null;
  }

  /** Whether the secret is sealed with a key other than the current one. */
  public boolean isSealedWithOldKey(byte[] sealed) {
    return !key(keyId(headerOf(sealed))).equals(key(keys.firstId()));
  }

  @Override
  public String toString() {
    return "SecretBox[keys withheld]";
  }

  private SecretKey key(String id) {
    SecretKey key = keys.key(id);
    if (key == null) {
      throw new UnknownSecretKeyException(id);
    }
    return key;
  }

  private static byte[] header(String keyId) {
    byte[] id = keyId.getBytes(US_ASCII);
    return ByteBuffer.allocate(FIXED_HEADER_BYTES + id.length)
        .put(VERSION)
        .put((byte) id.length)
        .put(id)
        .array();
  }

  private static byte[] headerOf(byte[] sealed) {
    if (sealed.length > 0 && sealed[0] > VERSION) {
      throw new DamagedSecretException(
          "a signing secret was encrypted by a newer release, in a form that this one cannot read");
    }
    if (sealed.length < FIXED_HEADER_BYTES || sealed[0] != VERSION) {
      throw new DamagedSecretException("an encrypted signing secret has an unknown version");
    }
    int headerBytes = FIXED_HEADER_BYTES + Byte.toUnsignedInt(sealed[1]);
    if (sealed.length < headerBytes + NONCE_BYTES + TAG_BYTES) {
      throw new DamagedSecretException("an encrypted signing secret is truncated");
    }
    return Arrays.copyOf(sealed, headerBytes);
  }

  private static String keyId(byte[] header) {
    int idBytes = header.length - FIXED_HEADER_BYTES;
    return new String(header, FIXED_HEADER_BYTES, idBytes, US_ASCII);
  }

  private static byte[] associated(byte[] header, UUID endpointId) {
    return ByteBuffer.allocate(header.length + UUID_BYTES)
        .put(header)
        .putLong(endpointId.getMostSignificantBits())
        .putLong(endpointId.getLeastSignificantBits())
        .array();
  }

  private static Cipher cipher(int mode, SecretKey key, byte[] nonce, byte[] associated)
      throws GeneralSecurityException {
    Cipher cipher = Cipher.getInstance("AES/GCM/NoPadding");
    cipher.init(mode, key, new GCMParameterSpec(TAG_BYTES * Byte.SIZE, nonce));
    cipher.updateAAD(associated);
    return cipher;
  }
}
