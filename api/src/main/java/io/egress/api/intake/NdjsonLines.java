package io.egress.api.intake;

import io.vertx.core.buffer.Buffer;

/**
 * Splits a stream of bytes into lines, numbered from 1. Blank lines are counted and skipped. Of a
 * line that is too long, no more is held than the limit.
 */
public final class NdjsonLines {
  /** Receives the lines. */
  public interface Receiver {
    void line(long number, Buffer line);

    void tooLong(long number);
  }

  private static final int UNCOUNTED_BYTES_MAX = Utf8.MARK_BYTES + 1;

  private final long bytesMax;
  private final Receiver receiver;
  private Buffer partial = Buffer.buffer();
  private boolean skipping;
  private long number = 1;

  /** {@code bytesMax} excludes line ends and the byte order mark. */
  public NdjsonLines(int bytesMax, Receiver receiver) {
    this.bytesMax = bytesMax;
    this.receiver = receiver;
  }

  public void feed(Buffer part) {
    byte[] bytes = part.getBytes();
    int start = 0;
    for (int i = 0; i < bytes.length; i++) {
      if (bytes[i] == '\n') {
        append(bytes, start, i);
        endLine();
        start = i + 1;
      }
    }
    append(bytes, start, bytes.length);
  }

  /** Bytes held of an incomplete line. */
  public int heldBytes() {
    return partial.length();
  }

  /** The last line may lack a line end. */
  public void end() {
    endLine();
  }

  private void append(byte[] bytes, int start, int end) {
    if (skipping || start == end) {
      return;
    }
    if (partial.length() + (long) (end - start) > bytesMax + UNCOUNTED_BYTES_MAX) {
      skipping = true;
      partial = Buffer.buffer();
      return;
    }
    partial.appendBytes(bytes, start, end - start);
  }

  private void endLine() {
    Buffer line = withoutMarkAndReturn();
    if (skipping || line.length() > bytesMax) {
      receiver.tooLong(number);
    } else if (!isBlank(line)) {
      receiver.line(number, line);
    }
    partial = Buffer.buffer();
    skipping = false;
    number++;
  }

  private Buffer withoutMarkAndReturn() {
    int start = number == 1 ? Utf8.markBytes(partial) : 0;
    int end = partial.length();
    if (end > start && partial.getByte(end - 1) == '\r') {
      end--;
    }
    return partial.slice(start, end);
  }

  private static boolean isBlank(Buffer line) {
    for (int i = 0; i < line.length(); i++) {
      byte b = line.getByte(i);
      if (b != ' ' && b != '\t') {
        return false;
      }
    }
    return true;
  }
}
