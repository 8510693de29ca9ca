package io.egress.dispatcher.deliver;

import io.egress.dispatcher.lane.InFlight;
import io.egress.dispatcher.lane.LaneSettings;
import io.egress.dispatcher.lane.Lanes;
import io.egress.dispatcher.lane.Lanes.Completion;
import io.egress.dispatcher.lane.Lanes.Parkable;
import io.egress.dispatcher.lane.Lanes.Priority;
import io.egress.dispatcher.ledger.LedgerBook;
import io.egress.dispatcher.ledger.LedgerBook.Commit;
import io.egress.dispatcher.ledger.PartitionLedger;
import io.egress.webhook.delivery.Delivery;
import io.egress.webhook.endpoint.EndpointSpec;
import java.util.HashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.UUID;
import java.util.function.Consumer;
import java.util.function.LongSupplier;
import java.util.function.Predicate;
import org.apache.kafka.common.TopicPartition;
import org.jspecify.annotations.Nullable;

/**
 * Everything a worker has read and not finished: the jobs waiting in lanes, those in progress, and
 * the ledger of their records. Owned by one event loop.
 */
final class Workload {
  /** What happened to a record that was read. */
  enum Taken {
    YES,
    /** The worker has a job for this attempt already. */
    REPEATED,
    /** Its endpoint has more than its share already. */
    BEYOND_SHARE,
    /** To be read again later. */
    NO_ROOM
  }

  private final Lanes<Job> lanes;
  private final LedgerBook<TopicPartition> ledgers;
  private final LongSupplier nanoTime;
  private final String live;
  private final Map<Job.AttemptKey, Job> held = new HashMap<>();
  private final Set<Job> inWork = new LinkedHashSet<>();
  private final ReadAhead readAhead = new ReadAhead();
  private long finished;

  /**
   * A worker's.
   *
   * @param spanMax the most records of a partition from the oldest unfinished to the newest
   * @param live the topic of fan-out
   */
  Workload(LaneSettings lanes, int spanMax, LongSupplier nanoTime, String live) {
    this.lanes = new Lanes<>(lanes);
    this.ledgers = new LedgerBook<>(spanMax);
    this.nanoTime = nanoTime;
    this.live = live;
  }

  void assign(Set<TopicPartition> partitions) {
    partitions.forEach(ledgers::assign);
  }

  /**
   * {@code dueForNanos} is for how long the delivery has been due, which is its age in the ledger.
   * If {@code isShared}, {@code beyondShare} gets the job if the endpoint has too many waiting; it
   * is in progress then.
   */
  Taken take(
      TopicPartition partition,
      long offset,
      Delivery delivery,
      long dueForNanos,
      boolean isShared,
      Consumer<Job> beyondShare) {
    long now = nanoTime.getAsLong();
    var entry = ledgers.register(partition, offset, now - dueForNanos);
    if (entry.isEmpty()) {
      return Taken.NO_ROOM;
    }
    Job job = new Job(delivery, entry.get(), now);
    Job first = held.putIfAbsent(job.key(), job);
    if (first != null) {
      repeated(first, job);
      return Taken.REPEATED;
    }
    readAhead.took(partition, dueForNanos, now);
    if (isShared && !lanes.hasRoomFor(delivery.endpointId())) {
      begin(job, now);
      beyondShare.accept(job);
      return Taken.BEYOND_SHARE;
    }
    offer(job, now);
    return Taken.YES;
  }

  /**
   * A job that may be left to the stream stands for the record from there only as long as it is
   * not: both are complete when its result is durable.
   */
  private void repeated(Job first, Job later) {
    Job done = isOfFanOut(first) ? first.repeatedBy(later) : later;
    if (done != null) {
      ledgers.complete(done.entry());
    }
  }

  private boolean isOfFanOut(Job job) {
    return job.partition().topic().equals(live)
        && job.delivery().attempt() == 1
        && !job.delivery().isPage();
  }

  /**
   * Whether the delivery can be made by a record from the stream instead. If that has been read, no
   * other one comes.
   */
  boolean mayLeaveToStream(Job job) {
    return isOfFanOut(job) && job.repetition() == null;
  }

  /**
   * The delivery is to be made by another record, as soon as that is durable: one that is read
   * before then is not a repetition.
   */
  void leaveToStream(Job job) {
    held.remove(job.key());
    job.leaveToStream();
  }

  /** The endpoint of an attempt is one of this workspace. */
  void belongs(Job job, UUID workspaceId) {
    lanes.belongs(job.delivery().endpointId(), workspaceId, nanoTime.getAsLong());
  }

  /** For a record that requests nothing. False if it was not taken. */
  boolean pass(TopicPartition partition, long offset) {
    return ledgers
        .register(partition, offset, nanoTime.getAsLong())
        .map(ledgers::complete)
        .orElse(false);
  }

  /**
   * For a record that is left to another process: it is never complete, so no offset beyond it is
   * committed. False if it was not taken.
   */
  boolean leave(TopicPartition partition, long offset) {
    return ledgers.register(partition, offset, nanoTime.getAsLong()).isPresent();
  }

  /** The next job to work on; null if there is none. */
  @Nullable InFlight<Job> next() {
    long now = nanoTime.getAsLong();
    InFlight<Job> slot = lanes.next(now);
    if (slot != null) {
      begin(slot.record(), now);
    }
    return slot;
  }

  /**
   * Whether its attempt may begin under the owner's limits. Otherwise the job has to be released
   * and returned.
   */
  boolean admit(InFlight<Job> slot, EndpointSpec.Limits limits) {
    Integer perSecond = limits.maxPerSecond();
    Integer inFlight = limits.maxInFlight();
    Lanes.Limits allowed =
        perSecond == null && inFlight == null
            ? Lanes.Limits.NONE
            : new Lanes.Limits(
                perSecond == null ? 0 : perSecond, inFlight == null ? Integer.MAX_VALUE : inFlight);
    return lanes.admit(slot, allowed, nanoTime.getAsLong());
  }

  /** When a job that only waits for its endpoint's rate limit may begin; null if there is none. */
  @Nullable Long nextPacedNanos() {
    return lanes.nextPacedNanos();
  }

  long nanoTime() {
    return nanoTime.getAsLong();
  }

  /** Its attempt begins: from now on the endpoint is measured. */
  void sent(InFlight<Job> slot) {
    lanes.sent(slot, nanoTime.getAsLong());
  }

  /** Frees the slot; the job continues until it is finished, returned or abandoned. */
  void release(InFlight<Job> slot, Completion completion) {
    lanes.completed(slot, completion, nanoTime.getAsLong());
  }

  /** The job waits in its lane again. */
  void giveBack(Job job) {
    inWork.remove(job);
    job.sending(null);
    job.authorized(null);
    offer(job, nanoTime.getAsLong());
    readAhead.tookBack(job.partition());
  }

  /** Jobs to be parked, which leave their lanes; they are in progress until finished. */
  List<Parkable<Job>> takeParkable() {
    long now = nanoTime.getAsLong();
    List<Parkable<Job>> parkable = lanes.takeParkable(now);
    parkable.forEach(parked -> begin(parked.record(), now));
    return parkable;
  }

  /**
   * All jobs waiting for the endpoint that were read before {@code beforeNanos}; they are in
   * progress until finished.
   */
  List<Job> takeAllOf(UUID endpointId, long beforeNanos) {
    long now = nanoTime.getAsLong();
    List<Job> taken = lanes.drain(endpointId, job -> job.takenNanos() - beforeNanos < 0, now);
    taken.forEach(job -> begin(job, now));
    return taken;
  }

  /** The job's result is durable: its record is complete, unless it was abandoned. */
  void finish(Job job) {
    if (inWork.remove(job)) {
      release(job);
      ledgers.complete(job.entry());
      Job repetition = job.repetition();
      if (repetition != null) {
        ledgers.complete(repetition.entry());
      }
      finished++;
    }
  }

  /** How many jobs have been finished. */
  long finished() {
    return finished;
  }

  /** Leaves the waiting jobs of the partitions to their next owner. */
  void dropWaiting(Set<TopicPartition> partitions) {
    List<Job> dropped =
        lanes.drop(job -> partitions.contains(job.partition()), nanoTime.getAsLong());
    dropped.forEach(job -> held.remove(job.key()));
    dropped.forEach(job -> takeUpRepetition(job, partitions));
    readAhead.forget(partitions);
  }

  /** Of a job that goes to the next owner of its partition, while the other record stays here. */
  private void takeUpRepetition(Job job, Set<TopicPartition> leaving) {
    Job repetition = job.repetition();
    if (repetition != null && !leaving.contains(repetition.partition())) {
      held.put(repetition.key(), repetition);
      offer(repetition, nanoTime.getAsLong());
      readAhead.tookBack(repetition.partition());
    }
  }

  /** Leaves the jobs in progress of the partitions to their next owner. */
  void abandon(Set<TopicPartition> partitions, String reason) {
    abandon(partitions, _ -> true, reason);
  }

  /** Only attempts in progress to stuck endpoints. */
  void abandonStuck(Set<TopicPartition> partitions, String reason) {
    abandon(
        partitions, job -> job.isAwaited() && lanes.isStuck(job.delivery().endpointId()), reason);
  }

  private void abandon(Set<TopicPartition> partitions, Predicate<Job> which, String reason) {
    for (Job job : List.copyOf(inWork)) {
      if (partitions.contains(job.partition()) && which.test(job)) {
        inWork.remove(job);
        release(job);
        job.abandon(reason);
        takeUpRepetition(job, partitions);
      }
    }
  }

  boolean isWorkingOn(Set<TopicPartition> partitions) {
    return inWork.stream().anyMatch(job -> partitions.contains(job.partition()));
  }

  /** Ends the assignment of the partitions; returns the offsets to commit. */
  Map<TopicPartition, Long> revoke(Set<TopicPartition> partitions) {
    Map<TopicPartition, Long> offsets = new HashMap<>();
    for (TopicPartition partition : partitions) {
      ledgers
          .revoke(partition)
          .ifPresent(commit -> offsets.put(commit.partition(), commit.nextOffset()));
    }
    return offsets;
  }

  List<Commit<TopicPartition>> commitsDue() {
    return ledgers.commitsDue();
  }

  void committed(Commit<TopicPartition> commit) {
    ledgers.committed(commit);
  }

  Optional<PartitionLedger> ledger(TopicPartition partition) {
    return ledgers.ledger(partition);
  }

  /** Whether reading should stop for a while. */
  boolean isFull() {
    return lanes.isFull();
  }

  int waiting() {
    return lanes.waiting();
  }

  /** The partitions with enough waiting records, which need not be read for now. */
  Set<TopicPartition> enough() {
    return readAhead.enough(lanes.waiting(), nanoTime.getAsLong());
  }

  int inFlight() {
    return lanes.inFlight();
  }

  int inWork() {
    return inWork.size();
  }

  int stuckLanes() {
    return lanes.stuckLanes();
  }

  private void offer(Job job, long nowNanos) {
    if (!lanes.offer(job.delivery().endpointId(), priority(job), job, nowNanos)) {
      throw new IllegalStateException("read more although the lanes are full");
    }
  }

  /** A redelivery goes before replays, because somebody waits for it. */
  private static Priority priority(Job job) {
    return switch (job.delivery().origin()) {
      case LIVE, REDELIVERY, PAGE, CHANGES_PAGE -> Priority.LIVE;
      case BACKFILL, REPLAY, UPDATE, ERASURE -> Priority.BACKFILL;
    };
  }

  private void release(Job job) {
    if (!job.isLeftToStream()) {
      held.remove(job.key());
    }
  }

  private void begin(Job job, long nowNanos) {
    inWork.add(job);
    readAhead.left(job.partition(), nowNanos);
  }
}
