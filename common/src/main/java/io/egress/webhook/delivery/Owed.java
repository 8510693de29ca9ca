package io.egress.webhook.delivery;

import io.egress.webhook.delivery.Delivery.Origin;
import java.time.Instant;
import java.util.UUID;

/**
 * Which captures of its workspace's stream are owed to an endpoint: the live ones, which entered
 * after it was created, and with full history those before. Everything that sends, lists, counts or
 * looks for owed deliveries decides by this; in SQL, {@code announce_erasure} does.
 */
public record Owed(UUID endpointId, long createdPosition, Instant createdAt, boolean fullHistory) {
  public boolean isLive(long position) {
    return position > createdPosition;
  }

  public boolean contains(long position) {
    return fullHistory || isLive(position);
  }

  public long firstPosition() {
    return fullHistory ? 1 : createdPosition + 1;
  }

  /** The number of live captures above one position and up to another. */
  public long liveBetween(long above, long upTo) {
    return Math.max(0, upTo - Math.max(above, createdPosition));
  }

  /** The first delivery of an owed capture. History is owed since the endpoint was created. */
  public Delivery first(long position, UUID captureId, Instant enteredAt) {
    boolean live = isLive(position);
    Origin origin = live ? Origin.LIVE : Origin.BACKFILL;
    return Delivery.first(
        DeliveryId.of(endpointId, captureId, origin.event()),
        endpointId,
        captureId,
        position,
        origin,
        live ? enteredAt : createdAt);
  }
}
