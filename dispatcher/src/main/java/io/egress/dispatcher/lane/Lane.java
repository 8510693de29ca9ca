package io.egress.dispatcher.lane;

import io.egress.dispatcher.lane.Lanes.Completion;
import io.egress.dispatcher.lane.Lanes.Limits;
import io.egress.dispatcher.lane.Lanes.Priority;
import java.time.Duration;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Collections;
import java.util.Deque;
import java.util.List;
import java.util.UUID;
import java.util.function.Predicate;
import org.jspecify.annotations.Nullable;

/** The records waiting for one endpoint, its concurrency limit, and whether it is stuck. */
final class Lane<R> {
  private final UUID endpointId;
  private final ConcurrencyLimit limit;
  private final ParkingDelay parkingDelay;
  private final LaneSettings.Parking parking;
  private final long slowNanos;
  private final int unprovenMax;
  private Deque<Waiting<R>> live = new ArrayDeque<>(0);
  private Deque<Waiting<R>> backfill = new ArrayDeque<>(0);
  private int inFlight;
  private int startedSinceProgress;
  private int sentSinceProgress;
  private boolean stuck;
  private int quietPeriods;
  private WorkspaceLanes<R> workspace;

  /** Null if the endpoint's owner set none, as of the last attempt. */
  private @Nullable OwnerLimits owner;

  /** Attempts in flight that were admitted. */
  private int admitted;

  Lane(UUID endpointId, LaneSettings settings) {
    this.endpointId = endpointId;
    this.workspace = new WorkspaceLanes<>(endpointId);
    this.workspace.add(this);
    this.limit = new ConcurrencyLimit(settings.concurrency());
    this.slowNanos = settings.concurrency().slowAfter().toNanos();
    this.unprovenMax = settings.concurrency().initial();
    this.parkingDelay = new ParkingDelay(settings.parking());
    this.parking = settings.parking();
  }

  UUID endpointId() {
    return endpointId;
  }

  WorkspaceLanes<R> workspace() {
    return workspace;
  }

  void moveTo(WorkspaceLanes<R> known) {
    workspace.remove(this);
    workspace = known;
    workspace.add(this);
  }

  int limit() {
    return limit.current();
  }

  int inFlight() {
    return inFlight;
  }

  int waiting() {
    return live.size() + backfill.size();
  }

  boolean isIdle() {
    return inFlight == 0 && live.isEmpty() && backfill.isEmpty();
  }

  boolean isStuck() {
    return stuck;
  }

  int sentSinceProgress() {
    return sentSinceProgress;
  }

  /** The number of attempts without any progress that an unknown endpoint may have in flight. */
  boolean isUnproven() {
    return startedSinceProgress >= unprovenMax;
  }

  boolean mayStart(long nowNanos) {
    return hasFreeSlot() && (owner == null || owner.mayStart(inFlight - admitted, nowNanos));
  }

  /** When the owner's rate limit lets a record start; null if the lane does not wait for that. */
  @Nullable Long readyNanos(long nowNanos) {
    return owner == null || waiting() == 0 || !hasFreeSlot()
        ? null
        : owner.readyNanos(inFlight - admitted, nowNanos);
  }

  /** A stuck lane is probed with one attempt at a time. */
  private boolean hasFreeSlot() {
    return inFlight < (stuck ? 1 : slots());
  }

  private int slots() {
    return owner == null ? limit.current() : Math.min(limit.current(), owner.inFlight());
  }

  /**
   * The records that a stuck lane could not start even if its endpoint recovered now. One round of
   * attempts stays, so that there is something to probe with and an endpoint that is only slow is
   * kept busy. In a lane with limits, the records that would wait too long for them.
   */
  int surplus() {
    if (stuck) {
      return Math.max(0, waiting() - slots());
    }
    return owner == null ? 0 : Math.max(0, waiting() - owner.waitingMax());
  }

  /** How long its surplus is parked. */
  Duration parkingDelay(long nowNanos) {
    if (stuck || owner == null) {
      return parkingDelay.current(nowNanos);
    }
    Duration time = owner.waitingTime();
    Duration least = time.compareTo(parking.delayMin()) < 0 ? parking.delayMin() : time;
    return least.compareTo(parking.delayMax()) > 0 ? parking.delayMax() : least;
  }

  /**
   * Whether the attempt may be sent under limits that may have changed since it started. From now
   * on it counts as begun.
   */
  boolean admit(InFlight<R> attempt, Limits limits, long nowNanos) {
    if (!limits.equals(owner == null ? Limits.NONE : owner.limits())) {
      owner = limits.equals(Limits.NONE) ? null : new OwnerLimits(limits, nowNanos);
    }
    if (owner != null) {
      boolean paced = attempt.startedUnder() == owner;
      if (admitted >= owner.inFlight() || (!paced && !owner.mayStart(0, nowNanos))) {
        return false;
      }
      if (!paced) {
        owner.started(nowNanos);
      }
    }
    attempt.admit();
    admitted++;
    return true;
  }

  void add(Waiting<R> record) {
    (record.priority() == Priority.LIVE ? live : backfill).add(record);
    workspace.waits(1);
  }

  @Nullable OwnerLimits owner() {
    return owner;
  }

  @Nullable Waiting<R> start(long nowNanos) {
    Waiting<R> first = live.isEmpty() ? backfill.poll() : live.poll();
    if (first != null) {
      inFlight++;
      workspace.waits(-1);
      workspace.flies(1);
      startedSinceProgress++;
      if (owner != null) {
        owner.started(nowNanos);
      }
    }
    return first;
  }

  /** True for the first one since there was any progress. */
  boolean sent() {
    sentSinceProgress++;
    return sentSinceProgress == 1;
  }

  /** Returns true if this shows that the endpoint makes progress. */
  boolean completed(InFlight<R> attempt, Completion completion, long nowNanos) {
    boolean progress =
        switch (completion) {
          case DELIVERED -> {
            limit.delivered(attempt.sentNanos(), nowNanos, isLimitInUse());
            yield true;
          }
          case REFUSED -> true;
          case UNANSWERED -> {
            limit.unanswered(attempt.sentNanos(), nowNanos, stuck);
            yield nowNanos - attempt.sentNanos() <= slowNanos;
          }
          case ABORTED -> {
            startedSinceProgress = Math.max(0, startedSinceProgress - 1);
            sentSinceProgress = Math.max(0, sentSinceProgress - (attempt.isSent() ? 1 : 0));
            yield false;
          }
        };
    inFlight--;
    workspace.flies(-1);
    admitted -= attempt.isAdmitted() ? 1 : 0;
    if (progress) {
      startedSinceProgress = 0;
      sentSinceProgress = 0;
      stuck = false;
    }
    return progress;
  }

  /**
   * While the owner's limits hold the lane back, success does not show that the endpoint could take
   * more.
   */
  private boolean isLimitInUse() {
    boolean half = inFlight * 2 >= limit.current();
    return owner == null ? waiting() > 0 || half : half && limit.current() < owner.inFlight();
  }

  void restartQuiet() {
    quietPeriods = 0;
  }

  /**
   * Another period has passed without progress. A lane with a low limit makes fewer attempts at a
   * time, so a slow endpoint shows progress less often and gets more periods.
   */
  boolean isQuietTooLong() {
    quietPeriods++;
    return owner == null || (long) quietPeriods * owner.inFlight() >= unprovenMax;
  }

  void becomeStuck(long nowNanos) {
    stuck = true;
    parkingDelay.start(nowNanos);
  }

  /** The newest {@code count}, backfill before live, returned in the order they were to start. */
  List<Waiting<R>> giveUp(int count) {
    List<Waiting<R>> givenUp = new ArrayList<>(count);
    for (int i = 0; i < count; i++) {
      givenUp.add(backfill.isEmpty() ? live.removeLast() : backfill.removeLast());
    }
    Collections.reverse(givenUp);
    workspace.waits(-count);
    return givenUp;
  }

  List<Waiting<R>> giveUp(Predicate<R> which) {
    List<Waiting<R>> givenUp = new ArrayList<>();
    for (Deque<Waiting<R>> records : List.of(live, backfill)) {
      records.removeIf(waiting -> which.test(waiting.record()) && givenUp.add(waiting));
    }
    workspace.waits(-givenUp.size());
    return givenUp;
  }

  /** A deep queue leaves large arrays behind, and there are many idle lanes. */
  void trim() {
    live = new ArrayDeque<>(0);
    backfill = new ArrayDeque<>(0);
  }

  /**
   * How long records of a stuck lane are parked. The delay doubles whenever it has passed and the
   * lane is still stuck, however many records are parked meanwhile.
   */
  private static final class ParkingDelay {
    private final long minNanos;
    private final long maxNanos;
    private long delayNanos;
    private long sinceNanos;

    ParkingDelay(LaneSettings.Parking settings) {
      this.minNanos = settings.delayMin().toNanos();
      this.maxNanos = settings.delayMax().toNanos();
      this.delayNanos = minNanos;
    }

    void start(long nowNanos) {
      delayNanos = minNanos;
      sinceNanos = nowNanos;
    }

    Duration current(long nowNanos) {
      if (nowNanos - sinceNanos >= delayNanos) {
        delayNanos = Math.min(delayNanos * 2, maxNanos);
        sinceNanos = nowNanos;
      }
      return Duration.ofNanos(delayNanos);
    }
  }

  /** One record in its lane. A class, not a record: equal records are different entries. */
  static final class Waiting<R> {
    private final Lane<R> lane;
    private final R record;
    private final Priority priority;
    private final long sinceNanos;

    Waiting(Lane<R> lane, R record, Priority priority, long sinceNanos) {
      this.lane = lane;
      this.record = record;
      this.priority = priority;
      this.sinceNanos = sinceNanos;
    }

    Lane<R> lane() {
      return lane;
    }

    R record() {
      return record;
    }

    Priority priority() {
      return priority;
    }

    long sinceNanos() {
      return sinceNanos;
    }
  }
}
