package io.egress.dispatcher.lane;

import static org.assertj.core.api.Assertions.assertThat;

import java.time.Duration;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.Set;
import java.util.UUID;
import org.jspecify.annotations.Nullable;

/** One random sequence of calls, next to a plain account of what each of them has to do. */
final class LanesHistory {
  private static final Completion[] COMPLETIONS = Completion.values();

  private record Job(int endpoint, int partition, Priority priority, int number) {
    UUID endpointId() {
      return VirtualLanes.endpoint(endpoint);
    }
  }

  private final Random random;
  private final LaneSettings settings;
  private final Lanes<Job> lanes;
  private final int endpoints;
  private final Map<Job, Long> waitingSince = new HashMap<>();
  private final List<InFlight<Job>> inFlight = new ArrayList<>();
  private final Set<InFlight<Job>> probes = new HashSet<>();
  private final Map<Integer, Long> lastProgress = new HashMap<>();
  private final Map<Integer, Integer> startedSinceProgress = new HashMap<>();
  private boolean full;
  private long nowNanos;
  private int jobs;
  private String lastStep = "none";

  LanesHistory(Random random, LaneSettings settings) {
    this.random = random;
    this.settings = settings;
    this.lanes = new Lanes<>(settings);
    this.endpoints = 1 + random.nextInt(8);
    this.nowNanos = random.nextLong();
  }

  String lastStep() {
    return lastStep;
  }

  void step() {
    nowNanos += random.nextInt(4) == 0 ? random.nextInt(800_000_000) : random.nextInt(1_000_000);
    int choice = random.nextInt(100);
    if (choice < 35) {
      offer();
    } else if (choice < 65) {
      start();
    } else if (choice < 84) {
      complete();
    } else if (choice < 96) {
      park();
    } else if (choice < 98) {
      drop();
    } else {
      drain();
    }
  }

  private void offer() {
    Priority priority = random.nextInt(3) == 0 ? Priority.BACKFILL : Priority.LIVE;
    Job job = new Job(random.nextInt(endpoints), random.nextInt(3), priority, jobs++);
    lastStep = "offer " + job;
    boolean taken = lanes.offer(job.endpointId(), priority, job, nowNanos);
    assertThat(taken).isEqualTo(waitingSince.size() < settings.bounds().queuedMax());
    if (taken) {
      waitingSince.put(job, nowNanos);
      full = full || waitingSince.size() >= settings.bounds().pauseAtQueued();
    }
  }

  private void start() {
    lastStep = "start";
    Map<Integer, LaneState> before = laneStates();
    InFlight<Job> attempt = lanes.next(nowNanos);
    if (attempt == null) {
      assertNothingCouldStart(before);
      return;
    }
    lanes.sent(attempt, nowNanos);
    Job job = attempt.record();
    lastStep = "start " + job;
    leave(job);
    LaneState lane = before.getOrDefault(job.endpoint(), new LaneState(0, 0, 0, false));
    if (lane.stuck()) {
      assertThat(lane.inFlight()).as("a stuck lane has one probe").isZero();
      probes.add(attempt);
    } else {
      assertThat(lane.inFlight()).isLessThan(lane.limit());
      assertThat(lane.inFlight()).as("the last slots are kept").isLessThan(slotsFree());
      assertThat(mostSlotsFree() || unproven(job.endpoint()) < settings.concurrency().initial())
          .as("no more than half of the slots without progress")
          .isTrue();
    }
    if (job.priority() == Priority.BACKFILL) {
      assertThat(waitingSince.keySet())
          .noneMatch(
              other -> other.endpoint() == job.endpoint() && other.priority() == Priority.LIVE);
    }
    assertFirstOfItsKind(job);
    inFlight.add(attempt);
    startedSinceProgress.merge(job.endpoint(), 1, Integer::sum);
  }

  private void assertFirstOfItsKind(Job job) {
    assertThat(waitingSince.keySet())
        .noneMatch(
            other ->
                other.endpoint() == job.endpoint()
                    && other.priority() == job.priority()
                    && other.number() < job.number());
  }

  private void assertNothingCouldStart(Map<Integer, LaneState> states) {
    boolean probesLeft = probes.size() < settings.bounds().probesInFlightMax();
    states.forEach(
        (endpoint, lane) -> {
          boolean couldStart =
              lane.waiting() > 0
                  && (lane.stuck()
                      ? lane.inFlight() == 0 && probesLeft && slotsFree() > 0
                      : lane.inFlight() < lane.limit()
                          && lane.inFlight() < slotsFree()
                          && (mostSlotsFree()
                              || unproven(endpoint) < settings.concurrency().initial()));
          assertThat(couldStart).as("%s of endpoint %s could start", lane, endpoint).isFalse();
        });
  }

  private void complete() {
    if (inFlight.isEmpty()) {
      return;
    }
    InFlight<Job> attempt = inFlight.remove(random.nextInt(inFlight.size()));
    Completion completion = COMPLETIONS[random.nextInt(COMPLETIONS.length)];
    lastStep = completion + " " + attempt.record();
    int endpoint = attempt.record().endpoint();
    int limit = lane(endpoint).limit();
    boolean slow = nowNanos - attempt.sentNanos() > Duration.ofSeconds(1).toNanos();
    lanes.completed(attempt, completion, nowNanos);
    probes.remove(attempt);
    LaneState after = laneStates().get(endpoint);
    int newLimit = after == null ? limit : after.limit();
    switch (completion) {
      case DELIVERED ->
          assertThat(newLimit).isBetween(Math.max(1, limit - 1), slow ? limit : limit + 1);
      case REFUSED, ABORTED -> assertThat(newLimit).isEqualTo(limit);
      case UNANSWERED -> assertThat(newLimit).isBetween(1, limit);
    }
    if (completion == Completion.ABORTED) {
      startedSinceProgress.put(endpoint, Math.max(0, unproven(endpoint) - 1));
    } else if (completion != Completion.UNANSWERED || !slow) {
      lastProgress.put(endpoint, nowNanos);
      startedSinceProgress.put(endpoint, 0);
      assertThat(after == null || !after.stuck()).as("progress ends it").isTrue();
    }
  }

  private void park() {
    lastStep = "park";
    boolean mayTakeHalves = full && someRecordIsOverdue();
    Set<Integer> parkedOf = new HashSet<>();
    for (Parkable<Job> parkable : lanes.takeParkable(nowNanos)) {
      Job job = parkable.record();
      assertThat(parkable.endpointId()).isEqualTo(job.endpointId());
      assertThat(parkable.delay()).isBetween(Duration.ofSeconds(1), Duration.ofSeconds(8));
      leave(job);
      parkedOf.add(job.endpoint());
    }
    if (!mayTakeHalves) {
      parkedOf.forEach(this::assertParkedAsStuck);
    }
    laneStates()
        .forEach(
            (endpoint, lane) ->
                assertThat(lane.stuck() && lane.waiting() > lane.limit())
                    .as("a stuck lane keeps one round only")
                    .isFalse());
    assertThat(full && someRecordIsOverdue())
        .as("nothing overdue stays while the caller has to pause")
        .isFalse();
  }

  private boolean someRecordIsOverdue() {
    long overdueNanos = settings.parking().overdueAfter().toNanos();
    return waitingSince.values().stream().anyMatch(since -> nowNanos - since >= overdueNanos);
  }

  private void assertParkedAsStuck(int endpoint) {
    LaneState lane = lane(endpoint);
    assertThat(lane.stuck()).isTrue();
    assertThat(lane.waiting()).as("what it is tried with stays").isEqualTo(lane.limit());
    Long progress = lastProgress.get(endpoint);
    assertThat(progress == null || nowNanos - progress >= Duration.ofSeconds(2).toNanos())
        .as("no lane is stuck that has just got on")
        .isTrue();
  }

  private void drop() {
    int partition = random.nextInt(3);
    lastStep = "drop " + partition;
    Dropped<Job> dropped = lanes.drop(job -> job.partition() == partition, nowNanos);
    dropped.waiting().forEach(this::leave);
    assertThat(waitingSince.keySet()).noneMatch(job -> job.partition() == partition);
    assertThat(dropped.waiting()).allMatch(job -> job.partition() == partition);
    assertThat(dropped.inFlight())
        .containsExactlyInAnyOrderElementsOf(
            inFlight.stream().filter(a -> a.record().partition() == partition).toList());
  }

  private void drain() {
    int endpoint = random.nextInt(endpoints);
    lastStep = "drain " + endpoint;
    List<Job> drained = lanes.drain(VirtualLanes.endpoint(endpoint), nowNanos);
    drained.forEach(this::leave);
    assertThat(drained).allMatch(job -> job.endpoint() == endpoint);
    assertThat(waitingSince.keySet()).noneMatch(job -> job.endpoint() == endpoint);
  }

  private void leave(Job job) {
    assertThat(waitingSince.remove(job)).as("%s was waiting", job).isNotNull();
    full = full && waitingSince.size() > settings.bounds().resumeAtQueued();
  }

  void check() {
    assertThat(lanes.waiting()).isEqualTo(waitingSince.size());
    assertThat(lanes.waiting()).isLessThanOrEqualTo(settings.bounds().queuedMax());
    assertThat(lanes.inFlight()).isEqualTo(inFlight.size());
    assertThat(lanes.inFlight()).isLessThanOrEqualTo(settings.bounds().inFlightMax());
    assertThat(probes.size()).isLessThanOrEqualTo(settings.bounds().probesInFlightMax());
    assertThat(lanes.isFull()).isEqualTo(full);
    Map<Integer, LaneState> states = laneStates();
    startedSinceProgress.keySet().retainAll(states.keySet());
    int idle = 0;
    for (int endpoint = 0; endpoint < endpoints; endpoint++) {
      LaneState lane = states.getOrDefault(endpoint, new LaneState(0, 0, 1, false));
      int number = endpoint;
      assertThat(lane.limit()).isBetween(1, settings.concurrency().max());
      assertThat(lane.waiting())
          .isEqualTo(
              (int) waitingSince.keySet().stream().filter(j -> j.endpoint() == number).count());
      assertThat(lane.inFlight())
          .isEqualTo((int) inFlight.stream().filter(a -> a.record().endpoint() == number).count());
      idle += states.containsKey(endpoint) && lane.waiting() + lane.inFlight() == 0 ? 1 : 0;
    }
    assertThat(idle).isLessThanOrEqualTo(settings.bounds().idleLanesMax());
  }

  /** Whatever happened before: once everything is answered, everything that waits gets sent. */
  void finish() {
    lastStep = "finish";
    while (!inFlight.isEmpty() || !waitingSince.isEmpty()) {
      InFlight<Job> next = lanes.next(nowNanos);
      while (next != null) {
        leave(next.record());
        lanes.sent(next, nowNanos);
        inFlight.add(next);
        next = lanes.next(nowNanos);
      }
      assertThat(inFlight).as("with nothing in flight something may start").isNotEmpty();
      inFlight.forEach(attempt -> lanes.completed(attempt, Completion.DELIVERED, nowNanos));
      inFlight.clear();
    }
    assertThat(lanes.waiting() + lanes.inFlight() + lanes.stuckLanes()).isZero();
  }

  private boolean mostSlotsFree() {
    return slotsFree() * 2 > settings.bounds().inFlightMax();
  }

  private int unproven(int endpoint) {
    return startedSinceProgress.getOrDefault(endpoint, 0);
  }

  private int slotsFree() {
    return settings.bounds().inFlightMax() - inFlight.size();
  }

  private LaneState lane(int endpoint) {
    return lanes.lane(VirtualLanes.endpoint(endpoint)).orElseThrow();
  }

  private Map<Integer, LaneState> laneStates() {
    Map<Integer, LaneState> states = new HashMap<>();
    for (int endpoint = 0; endpoint < endpoints; endpoint++) {
      @Nullable LaneState state = lanes.lane(VirtualLanes.endpoint(endpoint)).orElse(null);
      if (state != null) {
        states.put(endpoint, state);
      }
    }
    return states;
  }
}
