package io.egress.webhook.delivery;

import static java.nio.charset.StandardCharsets.UTF_8;

import io.egress.transcript.stream.Feed;
import java.nio.ByteBuffer;
import java.security.MessageDigest;
import java.security.NoSuchAlgorithmException;
import java.util.UUID;

/** Computes the ids of deliveries, so that repeated fan-out yields the same ids. */
public final class DeliveryId {
  /** Must never change: receivers deduplicate by the ids derived from it. */
  static final UUID NAMESPACE = UUID.fromString("873683ba-5155-4d01-98fd-4dd9cdd960d4");

  private static final long VERSION_MASK = 0xffff_ffff_ffff_0fffL;
  private static final long VERSION_5 = 0x5000L;
  private static final long VARIANT_MASK = 0x3fff_ffff_ffff_ffffL;
  private static final long VARIANT_RFC_9562 = 0x8000_0000_0000_0000L;

  private DeliveryId() {}

  /**
   * The first delivery of a capture to an endpoint: the UUIDv5 of the text {@code <endpoint
   * id>/<capture id>}.
   */
  public static UUID of(UUID endpointId, UUID captureId) {
    return nameBased(NAMESPACE, endpointId + "/" + captureId);
  }

  /** The first delivery of another event of the capture has {@code /<event>} at the end. */
  static UUID of(UUID endpointId, UUID captureId, Event event) {
    return event == Event.CAPTURE_PROCESSED
        ? of(endpointId, captureId)
        : nameBased(NAMESPACE, endpointId + "/" + captureId + "/" + event.word());
  }

  /**
   * The delivery of a change of the capture has the number of the change after the event, so that
   * the delivery of its newest change is known by its id.
   */
  public static UUID ofUpdate(UUID endpointId, UUID captureId, long change) {
    return nameBased(
        NAMESPACE,
        endpointId + "/" + captureId + "/" + Event.CAPTURE_UPDATED.word() + "/" + change);
  }

  /** The page of a feed after a position: the UUIDv5 of {@code <endpoint id>/<feed>/<position>}. */
  public static UUID ofPage(UUID endpointId, Feed feed, long position) {
    return nameBased(NAMESPACE, endpointId + "/" + feed.word() + "/" + position);
  }

  /** A replay's delivery of a capture: the UUIDv5 of {@code <replay id>/<capture id>}. */
  public static UUID inReplay(UUID replayId, UUID captureId) {
    return of(replayId, captureId);
  }

  static UUID nameBased(UUID namespace, String name) {
    MessageDigest sha1 = sha1();
    sha1.update(
        ByteBuffer.allocate(2 * Long.BYTES)
            .putLong(namespace.getMostSignificantBits())
            .putLong(namespace.getLeastSignificantBits())
            .flip());
    ByteBuffer hash = ByteBuffer.wrap(sha1.digest(name.getBytes(UTF_8)));
    return new UUID(
        (hash.getLong() & VERSION_MASK) | VERSION_5,
        (hash.getLong() & VARIANT_MASK) | VARIANT_RFC_9562);
  }

  private static MessageDigest sha1() {
    try {
      return MessageDigest.getInstance("SHA-1");
    } catch (NoSuchAlgorithmException everyJdkHasIt) {
      throw new IllegalStateException(everyJdkHasIt);
    }
  }
}
