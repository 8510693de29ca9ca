package io.egress.dispatcher.backfill;

import io.egress.webhook.backfill.OpenBackfills.Open;
import io.egress.webhook.backfill.OpenBackfills.Reached;
import io.egress.webhook.delivery.Delivery;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import java.util.UUID;

/**
 * The unfinished part of a history, a replay or a catch-up. It counts toward the worker's allowance
 * until it is forgotten because it belongs to another worker.
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

  /** Few enough that it is finished soon. */
  private static final int DRAINED_MAX = 16;

  private final Open open;
  private final int partition;
  private final Allowance allowance;
  private final CatchUpPlaces places;
  private final Set<UUID> unsettled = new HashSet<>();
  private State state = State.RESTING;
  private boolean forgotten;
  private int reserved;
  private long unsavedPosition = NONE;
  private int unsavedCount;
  private long place = NONE;
  private boolean atHead;
  private boolean alone;

  UnfinishedBackfill(Open open, int partition, Allowance allowance, CatchUpPlaces places) {
    this.open = open;
    this.partition = partition;
    this.allowance = allowance;
    this.places = places;
  }

  /**
   * The id of the backfill that published it, but for a catch-up; a history's is its endpoint's.
   */
  static UUID idOf(Delivery delivery) {
    UUID replayId = delivery.replayId();
    return replayId == null ? delivery.endpointId() : replayId;
  }

  Open open() {
    return open;
  }

  UUID id() {
    return open.id();
  }

  UUID endpointId() {
    return open.endpointId();
  }

  boolean isCatchUp() {
    return open.isCatchUp();
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
    if (reserved > 0) {
      return reserved;
    }
    return ahead() > DRAINED_MAX && drains() ? 0 : allowance.roomBeside(ahead());
  }

  /**
   * Whether nearly all of it has to be finished before more is published. At the head an endpoint
   * with more unfinished would fall behind again.
   */
  private boolean drains() {
    UUID workspaceId = open.catchUpOf();
    return atHead || (workspaceId != null && place != NONE && places.isAhead(workspaceId, place));
  }

  /** Whether its next turn is not one with others, because its last one has failed. */
  boolean isAlone() {
    return alone;
  }

  void alone(boolean now) {
    alone = now;
  }

  /** Whether a catch-up has come to the head of the stream. */
  void atHead(boolean now) {
    atHead = now;
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
    leavePlace();
    place = nextPosition;
    UUID workspaceId = open.catchUpOf();
    if (workspaceId != null && !forgotten) {
      places.add(workspaceId, place);
    }
  }

  /** It has none until the next batch. */
  void leavePlace() {
    UUID workspaceId = open.catchUpOf();
    if (workspaceId != null && place != NONE) {
      places.remove(workspaceId, place);
      place = NONE;
    }
  }

  boolean hasUnsavedPosition() {
    return unsavedPosition != NONE;
  }

  Reached reached() {
    return new Reached(id(), unsavedPosition, unsavedCount);
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
