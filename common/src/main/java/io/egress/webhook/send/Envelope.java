package io.egress.webhook.send;

import static java.nio.charset.StandardCharsets.US_ASCII;

import io.egress.platform.vertx.ByteBufs;
import io.egress.webhook.delivery.Event;
import io.netty.buffer.ByteBuf;
import io.netty.buffer.Unpooled;
import io.vertx.core.buffer.Buffer;
import java.time.Instant;
import java.time.ZoneOffset;
import java.time.format.DateTimeFormatter;
import java.util.Arrays;
import java.util.UUID;
import java.util.function.Consumer;

/**
 * The body of a webhook. The bytes that are signed are the bytes that are sent: a rendered document
 * is embedded unchanged, and nothing is parsed or encoded again.
 */
public final class Envelope {
  private static final String BEFORE_EVENT = "{\"event\":\"";
  private static final String BEFORE_DELIVERY_ID = "\",\"delivery_id\":\"";
  private static final String BEFORE_EMITTED_AT = "\",\"emitted_at\":\"";
  private static final String BEFORE_DATA = "\",\"data\":";
  private static final String END = "\"}}";
  private static final byte[] END_OF_HEAD = "\"emitted_at\":\"".getBytes(US_ASCII);
  private static final DateTimeFormatter INSTANT =
      DateTimeFormatter.ofPattern("uuuu-MM-dd'T'HH:mm:ss.SSS'Z'").withZone(ZoneOffset.UTC);

  private final Event event;
  private final UUID deliveryId;
  private final byte[] before;
  private final byte[] documentHead;
  private final byte[] after;

  private Envelope(Event event, UUID deliveryId, byte[] before, byte[] documentHead, byte[] after) {
    this.event = event;
    this.deliveryId = deliveryId;
    this.before = before;
    this.documentHead = documentHead;
    this.after = after;
  }

  /**
   * Embeds a document. {@code documentHead} is the rendered document up to and including {@code
   * "emitted_at":"}; the endpoints that get the document may share it.
   */
  public static Envelope compose(UUID deliveryId, Instant emittedAt, byte[] documentHead) {
    return compose(Event.CAPTURE_PROCESSED, deliveryId, emittedAt, documentHead);
  }

  /** The same for {@code event}, whose data may be something else that ends like a document. */
  public static Envelope compose(
      Event event, UUID deliveryId, Instant emittedAt, byte[] documentHead) {
    if (!endsBeforeEmittedAt(documentHead)) {
      throw new IllegalArgumentException("documentHead does not end with \"emitted_at\":\"");
    }
    String instant = INSTANT.format(emittedAt);
    return new Envelope(
        event,
        deliveryId,
        (BEFORE_EVENT
                + event.word()
                + BEFORE_DELIVERY_ID
                + deliveryId
                + BEFORE_EMITTED_AT
                + instant
                + BEFORE_DATA)
            .getBytes(US_ASCII),
        documentHead,
        (instant + END).getBytes(US_ASCII));
  }

  Event event() {
    return event;
  }

  public UUID deliveryId() {
    return deliveryId;
  }

  public int length() {
    return before.length + documentHead.length + after.length;
  }

  /**
   * The bytes to sign, which are the same arrays that {@link #buffer} and {@link #writeTo} send.
   */
  void eachPart(Consumer<byte[]> signing) {
    signing.accept(before);
    signing.accept(documentHead);
    signing.accept(after);
  }

  /** A view of the body; nothing is copied. */
  public Buffer buffer() {
    return ByteBufs.wrap(Unpooled.wrappedBuffer(before, documentHead, after));
  }

  void writeTo(ByteBuf memory) {
    memory.writeBytes(before).writeBytes(documentHead).writeBytes(after);
  }

  private static boolean endsBeforeEmittedAt(byte[] head) {
    int start = head.length - END_OF_HEAD.length;
    return start >= 0
        && Arrays.equals(head, start, head.length, END_OF_HEAD, 0, END_OF_HEAD.length);
  }
}
