package io.egress.api.intake;

import io.vertx.core.buffer.Buffer;
import java.io.InputStream;

/** Reads a buffer in place, so that large bodies are not copied for parsing. */
final class BufferInput extends InputStream {
  private final Buffer bytes;
  private int next;

  BufferInput(Buffer bytes, int start) {
    this.bytes = bytes;
    this.next = start;
  }

  @Override
  public int read() {
    return next == bytes.length() ? -1 : bytes.getByte(next++) & 0xFF;
  }

  @Override
  public int read(byte[] into, int offset, int length) {
    if (length == 0) {
      return 0;
    }
    int count = Math.min(length, bytes.length() - next);
    if (count == 0) {
      return -1;
    }
    bytes.getBytes(next, next + count, into, offset);
    next += count;
    return count;
  }
}
