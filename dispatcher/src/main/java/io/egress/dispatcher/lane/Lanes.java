package io.egress.dispatcher.lane;

import io.egress.dispatcher.lane.Lane.Waiting;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.TreeSet;
import java.util.UUID;
import java.util.function.Predicate;
import org.jspecify.annotations.Nullable;

/**
 * Isolates endpoints from each other: each has a lane with its own adaptive concurrency limit, and
 * a slow one cannot fill what all share. Records that cannot be sent for now are returned to be
 * parked elsewhere.
 *
 * <p>Owned by one event loop. Times are of one monotonic clock, such as {@link System#nanoTime}.
 * The cost of a call is proportional to the records and lanes it changes, except for {@link #drop}
 * and {@link #stuckLanes}, which visit all.
 */
public final class Lanes<R> {
  /** How an attempt ended, as far as the concurrency limit of its endpoint is concerned. */
  public enum Completion {
    /** A 2xx: more concurrency may be possible, if it was fast. */
    DELIVERED,

    /**
     * Any other status. The endpoint is alive, so this is not slowness; but how fast an endpoint
     * rejects requests says nothing about its capacity, and a 429 or 503 says the contrary.
     */
    REFUSED,

    /** Timeout, or no connection: the limit decreases. */
    UNANSWERED,

    /** Aborted by this side (shutdown, revocation): says nothing about the endpoint. */
    ABORTED
  }

  /** Within a lane every waiting {@code LIVE} record starts before any {@code BACKFILL} record. */
  public enum Priority {
    LIVE,
    BACKFILL
  }

  /**
   * The limits set by an endpoint's owner, in addition to the lane's own.
   *
   * @param perSecond attempts begun per second; 0 for unlimited
   * @param inFlight concurrent attempts
   */
  public record Limits(int perSecond, int inFlight) {
    public static final Limits NONE = new Limits(0, Integer.MAX_VALUE);

    public Limits {
      if (perSecond < 0 || inFlight < 1) {
        throw new IllegalArgumentException("a limit is too small");
      }
    }
  }

  /** A snapshot of a lane. */
  public record State(int waiting, int inFlight, int limit, boolean stuck) {}

  /** A record that has left its lane unsent, to be offered again after {@code delay}. */
  public record Parkable<R>(UUID endpointId, R record, Duration delay) {}

  private static final int SHARES_OF_ENDPOINTS = 8;
  private static final int SHARES_OF_WORKSPACES = 4;

  private final LaneSettings settings;
  private final long overdueNanos;
  private final Map<UUID, Lane<R>> lanes = new HashMap<>();

  /** Those that are known. */
  private final Map<UUID, WorkspaceLanes<R>> workspaces = new HashMap<>();

  private final Backlog<R> backlog;
  private final StartOrder<R> startOrder;
  private final StuckWatch<R> stuckWatch;
  private final IdleLanes<R> idleLanes;
  private final PacedLanes<R> pacedLanes = new PacedLanes<>();
  private final Set<InFlight<R>> inFlight = new LinkedHashSet<>();
  private int probesInFlight;

  public Lanes(LaneSettings settings) {
    this.settings = settings;
    this.overdueNanos = settings.parking().overdueAfter().toNanos();
    this.backlog = new Backlog<>(settings.bounds());
    this.startOrder = new StartOrder<>(settings);
    this.stuckWatch = new StuckWatch<>(settings.parking());
    this.idleLanes = new IdleLanes<>(settings);
  }

  /**
   * Returns false if the maximum number of records is waiting already. A caller that stops reading
   * while {@link #isFull} never sees that if a batch fits above the mark.
   */
  public boolean offer(UUID endpointId, Priority priority, R record, long nowNanos) {
    if (!backlog.hasRoom()) {
      return false;
    }
    Lane<R> lane = lanes.computeIfAbsent(endpointId, id -> new Lane<>(id, settings));
    Waiting<R> waiting = new Waiting<>(lane, record, priority, nowNanos);
    lane.add(waiting);
    backlog.add(waiting);
    settle(lane, nowNanos);
    return true;
  }

  /**
   * Whether another record for the endpoint fits its share. The fuller the backlog, the fewer
   * records an endpoint may have, and those of a workspace together, so that there is room for
   * others, however many want much.
   */
  public boolean hasRoomFor(UUID endpointId) {
    Lane<R> lane = lanes.get(endpointId);
    int free = settings.bounds().pauseAtQueued() - backlog.size();
    return lane == null
        || (lane.waiting() < Math.max(1, free / SHARES_OF_ENDPOINTS)
            && lane.workspace().waiting() < Math.max(1, free / SHARES_OF_WORKSPACES));
  }

  /** The endpoint is one of this workspace, with the others of which it shares. */
  public void belongs(UUID endpointId, UUID workspaceId, long nowNanos) {
    Lane<R> lane = lanes.get(endpointId);
    if (lane != null && !lane.workspace().id().equals(workspaceId)) {
      startOrder.remove(lane);
      leaveWorkspace(lane);
      lane.moveTo(workspaces.computeIfAbsent(workspaceId, WorkspaceLanes::new));
      settle(lane, nowNanos);
    }
  }

  private void leaveWorkspace(Lane<R> lane) {
    WorkspaceLanes<R> workspace = lane.workspace();
    lane.moveTo(new WorkspaceLanes<>(lane.endpointId()));
    if (workspace.isEmpty()) {
      workspaces.remove(workspace.id(), workspace);
    }
  }

  /** The record to start now, or null if none may start before something completes or arrives. */
  public @Nullable InFlight<R> next(long nowNanos) {
    Lane<R> ready = pacedLanes.firstReady(nowNanos);
    while (ready != null) {
      settle(ready, nowNanos);
      ready = pacedLanes.firstReady(nowNanos);
    }
    LaneSettings.Bounds bounds = settings.bounds();
    Lane<R> lane =
        startOrder.first(
            bounds.inFlightMax() - inFlight.size(), probesInFlight < bounds.probesInFlightMax());
    Waiting<R> first = lane == null ? null : lane.start(nowNanos);
    if (lane == null || first == null) {
      return null;
    }
    backlog.remove(first);
    InFlight<R> attempt = new InFlight<>(lane, first.record(), lane.isStuck(), lane.owner());
    inFlight.add(attempt);
    probesInFlight += attempt.isProbe() ? 1 : 0;
    settle(lane, nowNanos);
    return attempt;
  }

  /**
   * Whether the attempt may be sent under the owner's limits, which apply to its lane from now on.
   * Otherwise, complete it as {@link Completion#ABORTED} and offer its record again.
   */
  public boolean admit(InFlight<R> attempt, Limits limits, long nowNanos) {
    if (!inFlight.contains(attempt)) {
      throw new IllegalStateException("the attempt is not in flight: " + attempt.record());
    }
    Lane<R> lane = attempt.lane();
    boolean wasLimited = lane.owner() != null;
    boolean admitted = lane.admit(attempt, limits, nowNanos);
    if (wasLimited || lane.owner() != null) {
      settle(lane, nowNanos);
    }
    return admitted;
  }

  /**
   * When {@link #next} may have a record of a lane that only waits for its rate limit; null if
   * none.
   */
  public @Nullable Long nextPacedNanos() {
    return pacedLanes.nextNanos();
  }

  /** The attempt was sent: from now on it waits for the endpoint, not for this process. */
  public void sent(InFlight<R> attempt, long nowNanos) {
    if (!inFlight.contains(attempt) || attempt.isSent()) {
      throw new IllegalStateException("the attempt is not to be sent: " + attempt.record());
    }
    attempt.sentAt(nowNanos);
    Lane<R> lane = attempt.lane();
    if (lane.sent()) {
      stuckWatch.restart(lane);
      stuckWatch.place(lane, nowNanos);
    }
  }

  public void completed(InFlight<R> attempt, Completion completion, long nowNanos) {
    if (!inFlight.remove(attempt)) {
      throw new IllegalStateException("the attempt is not in flight: " + attempt.record());
    }
    probesInFlight -= attempt.isProbe() ? 1 : 0;
    Lane<R> lane = attempt.lane();
    if (lane.completed(attempt, completion, nowNanos)) {
      stuckWatch.restart(lane);
    }
    settle(lane, nowNanos);
  }

  /**
   * The records to be parked, which leave their lanes: those of stuck lanes, except for probes;
   * those that do not fit under an owner's limits; and if the caller had to pause while a record is
   * overdue, the newer half of its lane, which receives more than it sends. Call it after starting
   * what {@link #next} returns, and at least sixteen times per {@link
   * LaneSettings.Parking#stuckAfter}.
   */
  public List<Parkable<R>> takeParkable(long nowNanos) {
    stuckWatch.update(nowNanos).forEach(lane -> settle(lane, nowNanos));
    List<Parkable<R>> parkable = new ArrayList<>();
    Lane<R> stuck = stuckWatch.firstWithSurplus();
    while (stuck != null) {
      park(stuck, stuck.surplus(), stuck.parkingDelay(nowNanos), nowNanos, parkable);
      stuck = stuckWatch.firstWithSurplus();
    }
    Waiting<R> oldest = backlog.oldest();
    while (oldest != null && backlog.isFull() && nowNanos - oldest.sinceNanos() >= overdueNanos) {
      Lane<R> lane = oldest.lane();
      Duration delay = settings.parking().delayMax();
      park(lane, (lane.waiting() + 1) / 2, delay, nowNanos, parkable);
      oldest = backlog.oldest();
    }
    return parkable;
  }

  /**
   * For revoked partitions and for shutdown: removes waiting records from all lanes. Attempts in
   * flight hold their slots until they are completed, if need be as {@link Completion#ABORTED}.
   */
  public List<R> drop(Predicate<R> which, long nowNanos) {
    List<R> dropped = new ArrayList<>();
    for (Lane<R> lane : List.copyOf(lanes.values())) {
      dropped.addAll(leave(lane, lane.giveUp(which), nowNanos));
    }
    return dropped;
  }

  /** Removes some of the records waiting for an endpoint; attempts in flight continue. */
  public List<R> drain(UUID endpointId, Predicate<R> which, long nowNanos) {
    Lane<R> lane = lanes.get(endpointId);
    return lane == null ? List.of() : leave(lane, lane.giveUp(which), nowNanos);
  }

  /** The caller should stop reading until this is false. */
  public boolean isFull() {
    return backlog.isFull();
  }

  public int waiting() {
    return backlog.size();
  }

  public int inFlight() {
    return inFlight.size();
  }

  public int stuckLanes() {
    return (int) lanes.values().stream().filter(Lane::isStuck).count();
  }

  public boolean isStuck(UUID endpointId) {
    Lane<R> lane = lanes.get(endpointId);
    return lane != null && lane.isStuck();
  }

  /** Empty for an unknown endpoint. */
  public Optional<State> lane(UUID endpointId) {
    return Optional.ofNullable(lanes.get(endpointId))
        .map(lane -> new State(lane.waiting(), lane.inFlight(), lane.limit(), lane.isStuck()));
  }

  private void park(
      Lane<R> lane, int count, Duration delay, long nowNanos, List<Parkable<R>> parkable) {
    for (R record : leave(lane, lane.giveUp(count), nowNanos)) {
      parkable.add(new Parkable<>(lane.endpointId(), record, delay));
    }
  }

  private List<R> leave(Lane<R> lane, List<Waiting<R>> givenUp, long nowNanos) {
    if (givenUp.isEmpty()) {
      return List.of();
    }
    givenUp.forEach(backlog::remove);
    settle(lane, nowNanos);
    return givenUp.stream().map(Waiting::record).toList();
  }

  /** Updates the lane's place after a change, and forgets lanes that were idle for long. */
  private void settle(Lane<R> lane, long nowNanos) {
    startOrder.place(lane, nowNanos);
    pacedLanes.place(lane, nowNanos);
    stuckWatch.place(lane, nowNanos);
    idleLanes.place(lane, nowNanos);
    Lane<R> forgotten = idleLanes.poll(nowNanos);
    while (forgotten != null) {
      lanes.remove(forgotten.endpointId());
      leaveWorkspace(forgotten);
      forgotten = idleLanes.poll(nowNanos);
    }
  }

  /** All waiting records in order of arrival, and whether there are too many. */
  private static final class Backlog<R> {
    private final LaneSettings.Bounds bounds;
    private final Set<Waiting<R>> records = new LinkedHashSet<>();
    private boolean full;

    Backlog(LaneSettings.Bounds bounds) {
      this.bounds = bounds;
    }

    int size() {
      return records.size();
    }

    boolean hasRoom() {
      return records.size() < bounds.queuedMax();
    }

    /** Stays true until the backlog has shrunk well below the limit. */
    boolean isFull() {
      return full;
    }

    @Nullable Waiting<R> oldest() {
      return records.isEmpty() ? null : records.iterator().next();
    }

    void add(Waiting<R> record) {
      records.add(record);
      full = full || records.size() >= bounds.pauseAtQueued();
    }

    void remove(Waiting<R> record) {
      records.remove(record);
      full = full && records.size() > bounds.resumeAtQueued();
    }
  }

  /** Lanes that wait only for their rate limit, sorted by the time of their next start. */
  private static final class PacedLanes<R> {
    private record Entry<R>(Lane<R> lane, long readyNanos) implements Comparable<Entry<R>> {
      /** A monotonic clock may wrap around. */
      @Override
      public int compareTo(Entry<R> other) {
        int earlier = Long.signum(readyNanos - other.readyNanos);
        return earlier != 0 ? earlier : lane.endpointId().compareTo(other.lane.endpointId());
      }
    }

    private final Map<Lane<R>, Entry<R>> entries = new HashMap<>();
    private final TreeSet<Entry<R>> byTime = new TreeSet<>();

    void place(Lane<R> lane, long nowNanos) {
      Entry<R> former = entries.isEmpty() ? null : entries.remove(lane);
      if (former != null) {
        byTime.remove(former);
      }
      Long readyNanos = lane.readyNanos(nowNanos);
      if (readyNanos != null) {
        Entry<R> entry = new Entry<>(lane, readyNanos);
        entries.put(lane, entry);
        byTime.add(entry);
      }
    }

    /** Removes and returns a lane that may start. */
    @Nullable Lane<R> firstReady(long nowNanos) {
      Long first = nextNanos();
      return first == null || nowNanos - first < 0 ? null : byTime.first().lane();
    }

    /** When the next lane may start; null if none is waiting. */
    @Nullable Long nextNanos() {
      return byTime.isEmpty() ? null : byTime.first().readyNanos();
    }
  }

  /** Lanes with nothing to do, kept for a while for what they know about their endpoint. */
  private static final class IdleLanes<R> {
    private final long rememberedNanos;
    private final int idleLanesMax;
    private final Map<Lane<R>, Long> idleSinceNanos = new LinkedHashMap<>();

    IdleLanes(LaneSettings settings) {
      this.rememberedNanos = settings.concurrency().rememberedFor().toNanos();
      this.idleLanesMax = settings.bounds().idleLanesMax();
    }

    void place(Lane<R> lane, long nowNanos) {
      idleSinceNanos.remove(lane);
      if (lane.isIdle()) {
        lane.trim();
        idleSinceNanos.put(lane, nowNanos);
      }
    }

    /** Removes and returns the next lane to forget. */
    @Nullable Lane<R> poll(long nowNanos) {
      if (idleSinceNanos.isEmpty()) {
        return null;
      }
      Map.Entry<Lane<R>, Long> longest = idleSinceNanos.entrySet().iterator().next();
      Lane<R> lane = longest.getKey();
      if (idleSinceNanos.size() <= idleLanesMax
          && nowNanos - longest.getValue() < rememberedNanos) {
        return null;
      }
      idleSinceNanos.remove(lane);
      return lane;
    }
  }
}
