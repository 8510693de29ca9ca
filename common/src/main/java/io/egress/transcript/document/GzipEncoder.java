package io.egress.transcript.document;

import io.vertx.core.buffer.Buffer;
import java.util.ArrayDeque;
import java.util.Deque;
import java.util.zip.CRC32;
import org.jspecify.annotations.Nullable;

/**
 * Builds one gzip member from fragments and literals (as stored blocks), combining its CRC from
 * theirs. Nothing is compressed here. Adjacent literals share a block.
 */
final class GzipEncoder implements BodyEncoder {
  private static final byte[] HEADER = {0x1f, (byte) 0x8b, 8, 0, 0, 0, 0, 0, 0, (byte) 0xff};
  private static final int STORED_BYTES_MAX = 65_535;

  private final Deque<Buffer> pieces = new ArrayDeque<>();
  private final CRC32 literalCrc = new CRC32();
  private Buffer literal = Buffer.buffer();
  private int crc;
  private long length;

  GzipEncoder() {
    pieces.add(Buffer.buffer(HEADER));
  }

  @Override
  public void literal(byte[] bytes) {
    literal.appendBytes(bytes);
  }

  @Override
  public void fragment(Fragment fragment) {
    storeLiteral(false);
    pieces.add(fragment.deflated());
    count(fragment.crc32(), fragment.length());
  }

  @Override
  public void finish() {
    storeLiteral(true);
    pieces.add(Buffer.buffer(8).appendIntLE(crc).appendIntLE((int) length));
  }

  @Override
  public @Nullable Buffer next() {
    return pieces.poll();
  }

  private void storeLiteral(boolean last) {
    if (literal.length() == 0 && !last) {
      return;
    }
    byte[] bytes = literal.getBytes();
    literal = Buffer.buffer();
    literalCrc.reset();
    literalCrc.update(bytes);
    count((int) literalCrc.getValue(), bytes.length);
    Buffer blocks = Buffer.buffer(bytes.length + 5 * (bytes.length / STORED_BYTES_MAX + 1));
    int start = 0;
    do {
      int size = Math.min(STORED_BYTES_MAX, bytes.length - start);
      boolean closes = last && start + size == bytes.length;
      blocks.appendByte((byte) (closes ? 1 : 0));
      blocks.appendUnsignedShortLE(size).appendUnsignedShortLE(~size & 0xffff);
      blocks.appendBytes(bytes, start, size);
      start += size;
    } while (start < bytes.length);
    pieces.add(blocks);
  }

  private void count(int partCrc, long partLength) {
    crc = Crc32Combination.combine(crc, partCrc, partLength);
    length += partLength;
  }
}
