package io.egress.transcript.stream;

import java.nio.ByteBuffer;
import java.security.MessageDigest;
import java.security.NoSuchAlgorithmException;
import java.util.Arrays;
import java.util.Base64;
import java.util.Optional;

/**
 * A place in a stream: everything up to {@code position} has been read. {@code chain} is the chain
 * value of the stream's row there, which binds the cursor to the history that was read: in another
 * workspace, or after a restore to an earlier state, the row at the position has another chain
 * value.
 *
 * <p>The text is opaque to clients and valid forever, so version 1 must be decodable in every
 * release. The checksum detects alterations; it needs no key, because a cursor grants no access.
 */
public record Cursor(long position, long chain) {
  /** Before everything, of a reader that starts with what an empty stream will get. */
  public static final Cursor BEGINNING = new Cursor(0, 0);

  private static final byte VERSION = 1;

  /** Any text is the base64 of something; of most, the first byte is not a version. */
  private static final byte VERSIONS_MAX = 9;

  private static final int CHECKED_BYTES = 1 + 8 + 8;
  private static final int CHECKSUM_BYTES = 4;

  /** A multiple of three bytes: base64 without padding or unused bits. */
  private static final int BYTES = CHECKED_BYTES + CHECKSUM_BYTES;

  private static final int CHARS = BYTES / 3 * 4;

  public Cursor {
    if (position < 0 || (position == 0 && chain != 0)) {
      throw new IllegalArgumentException("position is below 1: " + position);
    }
  }

  public String encode() {
    ByteBuffer bytes = ByteBuffer.allocate(BYTES);
    bytes.put(VERSION);
    bytes.putLong(position);
    bytes.putLong(chain);
    bytes.put(checksum(bytes.array()));
    return Base64.getUrlEncoder().encodeToString(bytes.array());
  }

  /** Whether only a later release can have written the text, if it is a cursor. */
  public static boolean isNewer(String text) {
    try {
      byte[] bytes = Base64.getUrlDecoder().decode(text);
      return bytes.length >= BYTES && bytes[0] > VERSION && bytes[0] <= VERSIONS_MAX;
    } catch (IllegalArgumentException notBase64) {
      return false;
    }
  }

  /** Empty if {@link #encode} cannot have written the text. */
  public static Optional<Cursor> decode(String text) {
    if (text.length() != CHARS) {
      return Optional.empty();
    }
    byte[] bytes;
    try {
      bytes = Base64.getUrlDecoder().decode(text);
    } catch (IllegalArgumentException notBase64) {
      return Optional.empty();
    }
    ByteBuffer fields = ByteBuffer.wrap(bytes);
    if (bytes.length != BYTES
        || fields.get() != VERSION
        || !Arrays.equals(checksum(bytes), Arrays.copyOfRange(bytes, CHECKED_BYTES, BYTES))) {
      return Optional.empty();
    }
    long position = fields.getLong();
    long chain = fields.getLong();
    if (position == 0 && chain == 0) {
      return Optional.of(BEGINNING);
    }
    return position < 1 ? Optional.empty() : Optional.of(new Cursor(position, chain));
  }

  private static byte[] checksum(byte[] bytes) {
    try {
      MessageDigest digest = MessageDigest.getInstance("SHA-256");
      digest.update(bytes, 0, CHECKED_BYTES);
      return Arrays.copyOf(digest.digest(), CHECKSUM_BYTES);
    } catch (NoSuchAlgorithmException everyJdkHasIt) {
      throw new IllegalStateException(everyJdkHasIt);
    }
  }
}
