package io.egress.transcript.document;

import java.io.ByteArrayOutputStream;
import java.util.zip.CRC32;
import java.util.zip.DataFormatException;
import java.util.zip.Inflater;

/**
 * A gzip decoder that accepts exactly one member with nothing after it, and checks both fields of
 * its trailer.
 */
final class GzipDecoder {
  private static final int HEADER_BYTES = 10;

  private GzipDecoder() {}

  static byte[] decode(byte[] gzip) throws DataFormatException {
    check((gzip[0] & 0xff) == 0x1f && (gzip[1] & 0xff) == 0x8b, "no gzip");
    check(gzip[2] == 8 && gzip[3] == 0, "unexpected method or flags");
    Inflater inflater = new Inflater(true);
    inflater.setInput(gzip, HEADER_BYTES, gzip.length - HEADER_BYTES);
    ByteArrayOutputStream raw = new ByteArrayOutputStream();
    byte[] buffer = new byte[65_536];
    while (!inflater.finished()) {
      int count = inflater.inflate(buffer);
      check(count > 0 || inflater.finished(), "the deflate stream does not end");
      raw.write(buffer, 0, count);
    }
    int trailer = gzip.length - inflater.getRemaining();
    check(inflater.getRemaining() == 8, inflater.getRemaining() + " bytes after the last block");
    CRC32 crc = new CRC32();
    crc.update(raw.toByteArray());
    check(littleEndian(gzip, trailer) == (int) crc.getValue(), "another CRC-32");
    check(littleEndian(gzip, trailer + 4) == raw.size(), "another length");
    inflater.end();
    return raw.toByteArray();
  }

  private static int littleEndian(byte[] bytes, int at) {
    return (bytes[at] & 0xff)
        | (bytes[at + 1] & 0xff) << 8
        | (bytes[at + 2] & 0xff) << 16
        | (bytes[at + 3] & 0xff) << 24;
  }

  private static void check(boolean holds, String otherwise) throws DataFormatException {
    if (!holds) {
      throw new DataFormatException(otherwise);
    }
  }
}
