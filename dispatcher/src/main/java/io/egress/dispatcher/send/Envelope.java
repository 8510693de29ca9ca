package io.egress.dispatcher.send;

import static java.nio.charset.StandardCharsets.US_ASCII;
import static java.util.Objects.requireNonNull;

import io.netty.buffer.Unpooled;
import io.vertx.core.buffer.Buffer;
import io.vertx.core.internal.buffer.BufferInternal;
import java.time.Instant;
import java.time.ZoneOffset;
import java.time.format.DateTimeFormatter;
import java.util.Arrays;
import java.util.UUID;

/**
 * The body of a webhook. The bytes that are signed are the bytes that are sent: a rendered document
 * is put into the envelope as it is, and nothing is parsed or encoded again.
 */
public final class Envelope {
  public static final String EVENT = "capture.processed";

  private static final byte[] BEFORE_DELIVERY_ID =
      ("{\"event\":\"" + EVENT + "\",\"delivery_id\":\"").getBytes(US_ASCII);
  private static final byte[] BEFORE_EMITTED_AT = "\",\"emitted_at\":\"".getBytes(US_ASCII);
  private static final byte[] BEFORE_DATA = "\",\"data\":".getBytes(US_ASCII);
  private static final byte[] END = "\"}}".getBytes(US_ASCII);
  private static final byte[] END_OF_HEAD = "\"emitted_at\":\"".getBytes(US_ASCII);
  private static final DateTimeFormatter INSTANT =
      DateTimeFormatter.ofPattern("uuuu-MM-dd'T'HH:mm:ss.SSS'Z'").withZone(ZoneOffset.UTC);
  private static final int FIXED_BYTES =
      BEFORE_DELIVERY_ID.length
          + BEFORE_EMITTED_AT.length
          + BEFORE_DATA.length
          + END.length
          + "00000000-0000-0000-0000-000000000000".length();

  private final UUID deliveryId;
  private final byte[] bytes;

  private Envelope(UUID deliveryId, byte[] bytes) {
    this.deliveryId = deliveryId;
    this.bytes = bytes;
  }

  /**
   * Puts a document into its envelope. {@code documentHead} is the rendered document up to and with
   * {@code "emitted_at":"}; it may be shared between the endpoints that get the document.
   */
  public static Envelope compose(UUID deliveryId, Instant emittedAt, byte[] documentHead) {
    requireNonNull(deliveryId, "deliveryId is null");
    requireNonNull(documentHead, "documentHead is null");
    if (!endsBeforeEmittedAt(documentHead)) {
      throw new IllegalArgumentException("documentHead does not end with \"emitted_at\":\"");
    }
    byte[] instant = INSTANT.format(emittedAt).getBytes(US_ASCII);
    byte[] bytes = new byte[FIXED_BYTES + 2 * instant.length + documentHead.length];
    int end = append(bytes, 0, BEFORE_DELIVERY_ID);
    end = append(bytes, end, deliveryId.toString().getBytes(US_ASCII));
    end = append(bytes, end, BEFORE_EMITTED_AT);
    end = append(bytes, end, instant);
    end = append(bytes, end, BEFORE_DATA);
    end = append(bytes, end, documentHead);
    end = append(bytes, end, instant);
    append(bytes, end, END);
    return new Envelope(deliveryId, bytes);
  }

  public UUID deliveryId() {
    return deliveryId;
  }

  public int length() {
    return bytes.length;
  }

  /** The body itself, not a copy: not to be written to. */
  byte[] bytes() {
    return bytes;
  }

  /** A view of the body; wrapped, because {@code Buffer.buffer(byte[])} copies. */
  Buffer buffer() {
    return BufferInternal.buffer(Unpooled.wrappedBuffer(bytes));
  }

  private static boolean endsBeforeEmittedAt(byte[] head) {
    int start = head.length - END_OF_HEAD.length;
    return start >= 0
        && Arrays.equals(head, start, head.length, END_OF_HEAD, 0, END_OF_HEAD.length);
  }

  private static int append(byte[] bytes, int at, byte[] part) {
    System.arraycopy(part, 0, bytes, at, part.length);
    return at + part.length;
  }
}
