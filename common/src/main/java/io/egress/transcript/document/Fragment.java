package io.egress.transcript.document;

import io.egress.platform.vertx.ByteBufs;
import io.vertx.core.buffer.Buffer;
import java.nio.ByteBuffer;
import java.util.Arrays;
import java.util.zip.CRC32;
import java.util.zip.CRC32C;
import java.util.zip.Deflater;

/**
 * Bytes compressed once and sent many times: raw deflate blocks without references to earlier data,
 * ending on a byte boundary (a sync flush), none of them final. Fragments can therefore be
 * concatenated, with stored blocks between them, into one deflate stream.
 */
public record Fragment(Buffer deflated, int crc32, long length) {
  /** Of a capture of 20 KB, level 6 takes off 3.5% more, in 1.75 times the time. */
  private static final int LEVEL = 4;

  private static final int FLUSH_BYTES_MAX = 64;

  public static Fragment deflate(byte[] raw) {
    CRC32 crc = new CRC32();
    crc.update(raw);
    Deflater deflater = new Deflater(LEVEL, true);
    try {
      deflater.setInput(raw);
      byte[] deflated = new byte[raw.length / 3 + FLUSH_BYTES_MAX];
      int count = 0;
      while (true) {
        count += deflater.deflate(deflated, count, deflated.length - count, Deflater.SYNC_FLUSH);
        if (count < deflated.length) {
          break;
        }
        deflated = Arrays.copyOf(deflated, deflated.length * 2);
      }
      return new Fragment(
          Buffer.buffer(Arrays.copyOf(deflated, count)), (int) crc.getValue(), raw.length);
    } finally {
      deflater.end();
    }
  }

  /** CRC-32C of all fields, stored with them: detects damage without inflating. */
  public int checksum() {
    CRC32C checksum = new CRC32C();
    checksum.update(ByteBufs.of(deflated).nioBuffer());
    checksum.update(ByteBuffer.allocate(12).putInt(crc32).putLong(length).flip());
    return (int) checksum.getValue();
  }

  /** The uncompressed bytes; length and CRC are checked. */
  public byte[] inflate() {
    byte[] raw = new byte[Math.toIntExact(length)];
    Inflation inflation = new Inflation(this);
    inflation.fill(raw);
    inflation.check();
    return raw;
  }
}
