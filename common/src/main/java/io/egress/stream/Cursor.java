package io.egress.stream;

import static java.util.Objects.requireNonNull;

import java.nio.ByteBuffer;
import java.security.MessageDigest;
import java.security.NoSuchAlgorithmException;
import java.util.Arrays;
import java.util.Base64;
import java.util.Optional;
import java.util.UUID;

/**
 * A place in a workspace's stream: everything up to {@code position} was seen. Its text is opaque
 * to clients and valid for ever, so version 1 must decode in every release. The checksum finds
 * alterations; it keeps no secret and needs no key, because a cursor grants nothing.
 */
public record Cursor(UUID workspaceId, long position) {
  private static final byte VERSION = 1;
  private static final int CHECKED_BYTES = 1 + 16 + 8;
  private static final int CHECKSUM_BYTES = 5;

  /** A multiple of three bytes: base64 without padding and without unused bits. */
  private static final int BYTES = CHECKED_BYTES + CHECKSUM_BYTES;

  private static final int CHARS = BYTES / 3 * 4;

  public Cursor {
    requireNonNull(workspaceId, "workspaceId is null");
    if (position < 1) {
      throw new IllegalArgumentException("position is below 1: " + position);
    }
  }

  public String encode() {
    ByteBuffer bytes = ByteBuffer.allocate(BYTES);
    bytes.put(VERSION);
    bytes.putLong(workspaceId.getMostSignificantBits());
    bytes.putLong(workspaceId.getLeastSignificantBits());
    bytes.putLong(position);
    bytes.put(checksum(bytes.array()));
    return Base64.getUrlEncoder().encodeToString(bytes.array());
  }

  /** Empty for every text that {@link #encode} cannot have written. */
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
        || !Arrays.equals(
            checksum(bytes),
            Arrays.copyOfRange(bytes, CHECKED_BYTES, CHECKED_BYTES + CHECKSUM_BYTES))) {
      return Optional.empty();
    }
    UUID workspaceId = new UUID(fields.getLong(), fields.getLong());
    long position = fields.getLong();
    return position < 1 ? Optional.empty() : Optional.of(new Cursor(workspaceId, position));
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
