package io.egress.api.admin.deliveries;

import io.egress.api.intake.CursorText;
import io.egress.webhook.deliverylog.LoggedDelivery;
import java.util.Comparator;
import java.util.Optional;
import java.util.UUID;

/**
 * The position of a delivery in lists, which are sorted by capture (newest first), endpoint id and
 * delivery id. Encoded as text, it is the cursor of the page that ended there.
 */
record DeliveryCursor(long position, UUID endpointId, UUID id)
    implements Comparable<DeliveryCursor> {
  static final UUID FIRST_ID = new UUID(0, 0);

  private static final Comparator<DeliveryCursor> ORDER =
      Comparator.comparingLong(DeliveryCursor::position)
          .reversed()
          .thenComparing(DeliveryCursor::endpointId, DeliveryCursor::compare)
          .thenComparing(DeliveryCursor::id, DeliveryCursor::compare);

  static DeliveryCursor of(LoggedDelivery delivery) {
    return new DeliveryCursor(delivery.position(), delivery.endpointId(), delivery.id());
  }

  /** The position after all deliveries of the capture at {@code position}. */
  static DeliveryCursor behind(long position) {
    return new DeliveryCursor(position - 1, FIRST_ID, FIRST_ID);
  }

  @Override
  public int compareTo(DeliveryCursor other) {
    return ORDER.compare(this, other);
  }

  /** Compares ids as PostgreSQL does; {@link UUID#compareTo} compares signed numbers. */
  static int compare(UUID one, UUID other) {
    int high = Long.compareUnsigned(one.getMostSignificantBits(), other.getMostSignificantBits());
    return high != 0
        ? high
        : Long.compareUnsigned(one.getLeastSignificantBits(), other.getLeastSignificantBits());
  }

  String encode() {
    return CursorText.encode(
        position,
        endpointId.getMostSignificantBits(),
        endpointId.getLeastSignificantBits(),
        id.getMostSignificantBits(),
        id.getLeastSignificantBits());
  }

  /** Empty if {@link #encode} cannot have written the text. */
  static Optional<DeliveryCursor> decode(String text) {
    return CursorText.decode(text, 5)
        .map(numbers ->
            new DeliveryCursor(
                numbers[0], new UUID(numbers[1], numbers[2]), new UUID(numbers[3], numbers[4])));
  }
}
