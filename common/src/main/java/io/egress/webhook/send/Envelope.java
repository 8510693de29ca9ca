package io.egress.webhook.send;

import io.egress.platform.vertx.ByteBufs;
import io.egress.webhook.delivery.Event;
import io.netty.buffer.ByteBuf;
import io.netty.buffer.Unpooled;
import io.vertx.core.buffer.Buffer;
import java.time.Instant;
import java.time.ZoneOffset;
import java.time.format.DateTimeFormatter;
import java.util.List;
import java.util.UUID;
import java.util.function.Consumer;

/**
 * The body of a webhook. The bytes that are signed are the bytes that are sent, compressed or not:
 * rendered documents are embedded unchanged, and nothing is parsed, encoded or compressed again.
 */
public final class Envelope {
  private static final String BEFORE_EVENT = "{\"event\":\"";
  private static final String BEFORE_DELIVERY_ID = "\",\"delivery_id\":\"";
  private static final String BEFORE_EMITTED_AT = "\",\"emitted_at\":\"";
  private static final String BEFORE_DATA = "\",\"data\":";
  private static final String END_OF_DOCUMENT = "\"}";
  private static final String END = "}";
  private static final DateTimeFormatter INSTANT =
      DateTimeFormatter.ofPattern("uuuu-MM-dd'T'HH:mm:ss.SSS'Z'").withZone(ZoneOffset.UTC);

  private final Event event;
  private final UUID deliveryId;
  private final boolean compressed;
  private final List<byte[]> parts;

  private Envelope(Event event, UUID deliveryId, boolean compressed, List<byte[]> parts) {
    this.event = event;
    this.deliveryId = deliveryId;
    this.compressed = compressed;
    this.parts = parts;
  }

  /** Embeds a document, of which this is the head. */
  public static Envelope compose(UUID deliveryId, Instant emittedAt, byte[] documentHead) {
    return compose(Event.CAPTURE_PROCESSED, deliveryId, emittedAt, documentHead);
  }

  /** The same for {@code event}, whose data may be something else that ends like a document. */
  public static Envelope compose(
      Event event, UUID deliveryId, Instant emittedAt, byte[] documentHead) {
    return compose(event, deliveryId, emittedAt, new Content.Document(documentHead));
  }

  public static Envelope compose(Event event, UUID deliveryId, Instant emittedAt, Content content) {
    return compose(event, deliveryId, emittedAt, content, false);
  }

  /** {@code compressed} by gzip, or not. */
  public static Envelope compose(
      Event event, UUID deliveryId, Instant emittedAt, Content content, boolean compressed) {
    String instant = INSTANT.format(emittedAt);
    BodyParts body = BodyParts.of(compressed);
    body.text(
        BEFORE_EVENT
            + event.word()
            + BEFORE_DELIVERY_ID
            + deliveryId
            + BEFORE_EMITTED_AT
            + instant
            + BEFORE_DATA);
    switch (content) {
      case Content.Document(DocumentHead head) -> {
        body.document(head);
        body.text(instant + END_OF_DOCUMENT);
      }
      case Content.Page page -> page.writeTo(body, instant);
    }
    body.text(END);
    return new Envelope(event, deliveryId, compressed, body.end());
  }

  Event event() {
    return event;
  }

  public UUID deliveryId() {
    return deliveryId;
  }

  boolean isCompressed() {
    return compressed;
  }

  public int length() {
    int length = 0;
    for (byte[] part : parts) {
      length += part.length;
    }
    return length;
  }

  /**
   * The bytes to sign, which are the same arrays that {@link #buffer} and {@link #writeTo} send.
   */
  void eachPart(Consumer<byte[]> signing) {
    parts.forEach(signing);
  }

  /** A view of the body; nothing is copied. */
  public Buffer buffer() {
    return ByteBufs.wrap(Unpooled.wrappedBuffer(parts.size(), parts.toArray(byte[][]::new)));
  }

  void writeTo(ByteBuf memory) {
    parts.forEach(memory::writeBytes);
  }
}
