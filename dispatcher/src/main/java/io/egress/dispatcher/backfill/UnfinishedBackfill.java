package io.egress.dispatcher.backfill;

import io.egress.webhook.delivery.Delivery;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import java.util.UUID;

/**
 * The unfinished part of a history or a replay. It counts toward the worker's allowance until it is
 * forgotten because it belongs to another worker.
 */
final class UnfinishedBackfill {
  enum State {
    /** Paused, deleted or completely published; kept until its deliveries are finished. */
    RESTING,
    READY,
    /** Has used up its allowance. */
    FULL,
    /** Not repeated before the next period. */
    FAILED,
    IN_TURN
  }

  private static final long NONE = 0;

  private final UUID id;
  private final int partition;
  private final Allowance allowance;
  private final Set<UUID> unsettled = new HashSet<>();
  private State state = State.RESTING;
  private boolean forgotten;
  private int reserved;
  private long unsavedPosition = NONE;
  private int unsavedCount;

  UnfinishedBackfill(UUID id, int partition, Allowance allowance) {
    this.id = id;
    this.partition = partition;
    this.allowance = allowance;
  }

  /** The id of the backfill that published {@code delivery}; a history's is its endpoint's. */
  static UUID idOf(Delivery delivery) {
    UUID replayId = delivery.replayId();
    return replayId == null ? delivery.endpointId() : replayId;
  }

  UUID id() {
    return id;
  }

  int partition() {
    return partition;
  }

  State state() {
    return state;
  }

  void become(State next) {
    state = next;
  }

  boolean isForgotten() {
    return forgotten;
  }

  int ahead() {
    return unsettled.size() + reserved;
  }

  /**
   * A failed turn keeps its reservation: some of its records may be in Kafka, and repeating exactly
   * those keeps the count correct.
   */
  int room() {
    return reserved > 0 ? reserved : allowance.roomBeside(ahead());
  }

  int reserved() {
    return reserved;
  }

  void reserve(int count) {
    count(() -> reserved = count);
  }

  /** Called before they are published, because one may finish before it is acknowledged. */
  void publishing(List<Delivery> deliveries) {
    count(() -> {
      deliveries.forEach(delivery -> unsettled.add(delivery.id()));
      reserved = 0;
    });
  }

  void unsure(List<Delivery> deliveries) {
    count(() -> {
      deliveries.forEach(delivery -> unsettled.remove(delivery.id()));
      reserved = deliveries.size();
    });
  }

  /** Returns whether the delivery was counted until now. */
  boolean settle(UUID deliveryId) {
    boolean known = unsettled.remove(deliveryId);
    if (known) {
      allowance.change(-1);
    }
    return known;
  }

  void acknowledged(long nextPosition, int published) {
    unsavedPosition = nextPosition;
    unsavedCount = published;
  }

  boolean hasUnsavedPosition() {
    return unsavedPosition != NONE;
  }

  long unsavedPosition() {
    return unsavedPosition;
  }

  int unsavedCount() {
    return unsavedCount;
  }

  void saved() {
    unsavedPosition = NONE;
  }

  void forget() {
    forgotten = true;
    allowance.change(-ahead());
  }

  private void count(Runnable change) {
    int before = ahead();
    change.run();
    if (!forgotten) {
      allowance.change(ahead() - before);
    }
  }
}
