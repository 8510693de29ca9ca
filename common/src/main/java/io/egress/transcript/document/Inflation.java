package io.egress.transcript.document;

import io.egress.platform.vertx.ByteBufs;
import io.vertx.core.buffer.Buffer;
import java.util.zip.CRC32;
import java.util.zip.DataFormatException;
import java.util.zip.Inflater;
import org.jspecify.annotations.Nullable;

/** Inflates a fragment in pieces of bounded size, and checks length and CRC at its end. */
final class Inflation {
  static final int PIECE_BYTES_MAX = 65_536;

  private final Fragment fragment;
  private final CRC32 crc = new CRC32();
  private final Inflater inflater = new Inflater(true);
  private long produced;

  Inflation(Fragment fragment) {
    this.fragment = fragment;
    inflater.setInput(ByteBufs.of(fragment.deflated()).nioBuffer());
  }

  /** The next piece, or null at the end. */
  @Nullable Buffer next() {
    long rest = fragment.length() - produced;
    if (rest == 0) {
      check();
      return null;
    }
    byte[] piece = new byte[(int) Math.min(PIECE_BYTES_MAX, rest)];
    fill(piece);
    return Buffer.buffer(piece);
  }

  void fill(byte[] piece) {
    int count = 0;
    try {
      while (count < piece.length) {
        int inflated = inflater.inflate(piece, count, piece.length - count);
        if (inflated == 0) {
          throw corrupt("it ends too early");
        }
        count += inflated;
      }
    } catch (DataFormatException damaged) {
      throw corrupt(String.valueOf(damaged.getMessage()));
    }
    crc.update(piece);
    produced += count;
  }

  void check() {
    inflater.end();
    if ((int) crc.getValue() != fragment.crc32()) {
      throw corrupt("its CRC-32 differs");
    }
  }

  private IllegalStateException corrupt(String how) {
    inflater.end();
    return new IllegalStateException("a stored document is damaged: " + how);
  }
}
