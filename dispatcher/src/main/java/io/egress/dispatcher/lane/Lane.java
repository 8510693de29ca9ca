package io.egress.dispatcher.lane;

import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Collections;
import java.util.Deque;
import java.util.List;
import java.util.UUID;
import java.util.function.Predicate;
import org.jspecify.annotations.Nullable;

/** What waits for one endpoint, how much of it may be in flight, and whether it is stuck. */
final class Lane<R> {
  private final UUID endpointId;
  private final ConcurrencyLimit limit;
  private final ParkingDelay parkingDelay;
  private final long slowNanos;
  private final int unprovenMax;
  private Deque<Waiting<R>> live = new ArrayDeque<>(0);
  private Deque<Waiting<R>> backfill = new ArrayDeque<>(0);
  private int inFlight;
  private int startedSinceProgress;
  private int sentSinceProgress;
  private boolean stuck;

  Lane(UUID endpointId, LaneSettings settings) {
    this.endpointId = endpointId;
    this.limit = new ConcurrencyLimit(settings.concurrency());
    this.slowNanos = settings.concurrency().slowAfter().toNanos();
    this.unprovenMax = settings.concurrency().initial();
    this.parkingDelay = new ParkingDelay(settings.parking());
  }

  UUID endpointId() {
    return endpointId;
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

  /** As many attempts without any sign of progress as an endpoint gets that is not known at all. */
  boolean isUnproven() {
    return startedSinceProgress >= unprovenMax;
  }

  /** A stuck lane is tried with one attempt at a time. */
  boolean hasFreeSlot() {
    return inFlight < (stuck ? 1 : limit.current());
  }

  /**
   * What a stuck lane cannot start even if its endpoint came back now. A round of attempts stays,
   * so that there is something to try it with and an endpoint that is only slow is kept busy.
   */
  int surplus() {
    return stuck ? Math.max(0, waiting() - limit.current()) : 0;
  }

  void add(Waiting<R> record) {
    (record.priority() == Priority.LIVE ? live : backfill).add(record);
  }

  @Nullable Waiting<R> start() {
    Waiting<R> first = live.isEmpty() ? backfill.poll() : live.poll();
    if (first != null) {
      inFlight++;
      startedSinceProgress++;
    }
    return first;
  }

  /** True for the first since there was any progress. */
  boolean sent() {
    sentSinceProgress++;
    return sentSinceProgress == 1;
  }

  /** True when this shows that the endpoint gets on with its records. */
  boolean completed(InFlight<R> attempt, Completion completion, long nowNanos) {
    boolean progress =
        switch (completion) {
          case DELIVERED -> {
            boolean inUse = waiting() > 0 || inFlight * 2 >= limit.current();
            limit.delivered(attempt.sentNanos(), nowNanos, inUse);
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
    if (progress) {
      startedSinceProgress = 0;
      sentSinceProgress = 0;
      stuck = false;
    }
    return progress;
  }

  void becomeStuck(long nowNanos) {
    stuck = true;
    parkingDelay.start(nowNanos);
  }

  ParkingDelay parkingDelay() {
    return parkingDelay;
  }

  /** The newest {@code count}, backfill before live, returned in the order they were to start. */
  List<Waiting<R>> giveUp(int count) {
    List<Waiting<R>> givenUp = new ArrayList<>(count);
    for (int i = 0; i < count; i++) {
      givenUp.add(backfill.isEmpty() ? live.removeLast() : backfill.removeLast());
    }
    Collections.reverse(givenUp);
    return givenUp;
  }

  List<Waiting<R>> giveUp(Predicate<R> which) {
    List<Waiting<R>> givenUp = new ArrayList<>();
    for (Deque<Waiting<R>> records : List.of(live, backfill)) {
      records.removeIf(waiting -> which.test(waiting.record()) && givenUp.add(waiting));
    }
    return givenUp;
  }

  /** A deep queue leaves large arrays behind, and idle lanes are many. */
  void trim() {
    live = new ArrayDeque<>(0);
    backfill = new ArrayDeque<>(0);
  }
}
