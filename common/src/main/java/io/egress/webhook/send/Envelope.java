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
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.UUID;
import java.util.function.Consumer;

/**
 * The body of a webhook. The bytes that are signed are the bytes that are sent: rendered documents
 * are embedded unchanged, and nothing is parsed or encoded again.
 */
public final class Envelope {
  private static final String BEFORE_EVENT = "{\"event\":\"";
  private static final String BEFORE_DELIVERY_ID = "\",\"delivery_id\":\"";
  private static final String BEFORE_EMITTED_AT = "\",\"emitted_at\":\"";
  private static final String BEFORE_DATA = "\",\"data\":";
  private static final String END_OF_DOCUMENT = "\"}";
  private static final byte[] END = "}".getBytes(US_ASCII);
  private static final byte[] END_OF_HEAD = "\"emitted_at\":\"".getBytes(US_ASCII);
  private static final DateTimeFormatter INSTANT =
      DateTimeFormatter.ofPattern("uuuu-MM-dd'T'HH:mm:ss.SSS'Z'").withZone(ZoneOffset.UTC);

  private final Event event;
  private final UUID deliveryId;
  private final List<byte[]> parts;

  private Envelope(Event event, UUID deliveryId, List<byte[]> parts) {
    this.event = event;
    this.deliveryId = deliveryId;
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
    String instant = INSTANT.format(emittedAt);
    List<byte[]> parts = new ArrayList<>();
    parts.add(
        (BEFORE_EVENT
                + event.word()
                + BEFORE_DELIVERY_ID
                + deliveryId
                + BEFORE_EMITTED_AT
                + instant
                + BEFORE_DATA)
            .getBytes(US_ASCII));
    switch (content) {
      case Content.Document document -> {
        requireHead(document.head());
        parts.add(document.head());
        parts.add((instant + END_OF_DOCUMENT).getBytes(US_ASCII));
      }
      case Content.Page page -> {
        for (Content.Page.Entry entry : page.entries()) {
          if (entry.head() != null) {
            requireHead(entry.head().bytes());
          }
        }
        parts.addAll(page.parts(instant));
      }
    }
    parts.add(END);
    return new Envelope(event, deliveryId, parts);
  }

  Event event() {
    return event;
  }

  public UUID deliveryId() {
    return deliveryId;
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

  private static void requireHead(byte[] head) {
    int start = head.length - END_OF_HEAD.length;
    if (start < 0 || !Arrays.equals(head, start, head.length, END_OF_HEAD, 0, END_OF_HEAD.length)) {
      throw new IllegalArgumentException("a head does not end with \"emitted_at\":\"");
    }
  }
}
