package io.egress.api.intake;

import io.vertx.core.buffer.Buffer;

/**
 * Strict UTF-8 validation (table 3-7 of the Unicode standard). Jackson accepts overlong forms and
 * encoded surrogates. The JDK's decoder would find them, but is three times slower than parsing a
 * body that is not all ASCII.
 */
final class Utf8 {
  static final int MARK_BYTES = 3;
  private static final int CHUNK_BYTES = 8 * 1024;
  private static final int CONTINUATION_MIN = 0x80;
  private static final int CONTINUATION_MAX = 0xBF;

  private int wanted;
  private int min = CONTINUATION_MIN;
  private int max = CONTINUATION_MAX;

  private Utf8() {}

  /** The length of a byte order mark at the start, or 0. */
  static int markBytes(Buffer bytes) {
    return bytes.length() >= MARK_BYTES
            && bytes.getByte(0) == (byte) 0xEF
            && bytes.getByte(1) == (byte) 0xBB
            && bytes.getByte(2) == (byte) 0xBF
        ? MARK_BYTES
        : 0;
  }

  /** The index of the first invalid byte, which may be the end of a truncated text; -1 if valid. */
  static int firstFlaw(Buffer bytes) {
    Utf8 state = new Utf8();
    byte[] chunk = new byte[Math.min(CHUNK_BYTES, bytes.length())];
    for (int start = 0; start < bytes.length(); start += chunk.length) {
      int length = Math.min(chunk.length, bytes.length() - start);
      bytes.getBytes(start, start + length, chunk, 0);
      for (int i = 0; i < length; i++) {
        if ((chunk[i] < 0 || state.wanted > 0) && !state.accepts(chunk[i] & 0xFF)) {
          return start + i;
        }
      }
    }
    return state.wanted > 0 ? bytes.length() : -1;
  }

  private boolean accepts(int next) {
    if (wanted > 0) {
      boolean accepted = next >= min && next <= max;
      wanted--;
      min = CONTINUATION_MIN;
      max = CONTINUATION_MAX;
      return accepted;
    }
    wanted = next >= 0xF0 ? 3 : next >= 0xE0 ? 2 : 1;
    switch (next) {
      case 0xE0 -> min = 0xA0;
      case 0xED -> max = 0x9F;
      case 0xF0 -> min = 0x90;
      case 0xF4 -> max = 0x8F;
      default -> {}
    }
    return next >= 0xC2 && next <= 0xF4;
  }
}
