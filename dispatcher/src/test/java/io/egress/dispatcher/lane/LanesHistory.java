package io.egress.dispatcher.lane;

import static org.assertj.core.api.Assertions.assertThat;

import io.egress.dispatcher.lane.Lanes.Completion;
import io.egress.dispatcher.lane.Lanes.Parkable;
import io.egress.dispatcher.lane.Lanes.Priority;
import io.egress.dispatcher.lane.LanesAccount.Job;
import java.time.Duration;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/** One random sequence of calls, compared with a plain model. */
final class LanesHistory {
  private static final Completion[] COMPLETIONS = Completion.values();

  private final Random random;
  private final LaneSettings settings;
  private final Lanes<Job> lanes;
  private final int endpoints;
  private final LanesAccount account;
  private long nowNanos;
  private int jobs;
  private String lastStep = "none";

  LanesHistory(Random random, LaneSettings settings) {
    this.random = random;
    this.settings = settings;
    this.lanes = new Lanes<>(settings);
    this.account = new LanesAccount(settings);
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
    assertThat(taken).isEqualTo(account.takesMore());
    if (taken) {
      account.took(job, nowNanos);
    }
  }

  private void start() {
    lastStep = "start";
    Map<Integer, Lanes.State> before = laneStates();
    InFlight<Job> attempt = lanes.next(nowNanos);
    if (attempt == null) {
      assertNothingCouldStart(before);
      return;
    }
    lanes.sent(attempt, nowNanos);
    Job job = attempt.record();
    lastStep = "start " + job;
    account.left(job);
    Lanes.State lane = before.getOrDefault(job.endpoint(), new Lanes.State(0, 0, 0, false));
    if (lane.stuck()) {
      assertThat(lane.inFlight()).as("a stuck lane has one probe").isZero();
    } else {
      assertThat(lane.inFlight()).isLessThan(lane.limit());
      assertThat(lane.inFlight()).as("the last slots are kept").isLessThan(account.slotsFree());
      assertThat(account.mayStartUnproven(job.endpoint()))
          .as("no more than half of the slots without progress")
          .isTrue();
    }
    if (job.priority() == Priority.BACKFILL) {
      assertThat(account.waiting())
          .noneMatch(
              other -> other.endpoint() == job.endpoint() && other.priority() == Priority.LIVE);
    }
    assertFirstOfItsKind(job);
    account.started(attempt, lane.stuck());
  }

  private void assertFirstOfItsKind(Job job) {
    assertThat(account.waiting())
        .noneMatch(other ->
            other.endpoint() == job.endpoint()
                && other.priority() == job.priority()
                && other.number() < job.number());
  }

  private void assertNothingCouldStart(Map<Integer, Lanes.State> states) {
    boolean probesLeft = account.probes() < settings.bounds().probesInFlightMax();
    states.forEach((endpoint, lane) -> {
      boolean couldStart =
          lane.waiting() > 0
              && (lane.stuck()
                  ? lane.inFlight() == 0 && probesLeft && account.slotsFree() > 0
                  : lane.inFlight() < lane.limit()
                      && lane.inFlight() < account.slotsFree()
                      && account.mayStartUnproven(endpoint));
      assertThat(couldStart).as("%s of endpoint %s could start", lane, endpoint).isFalse();
    });
  }

  private void complete() {
    if (account.inFlight().isEmpty()) {
      return;
    }
    InFlight<Job> attempt = account.endAny(random);
    Completion completion = COMPLETIONS[random.nextInt(COMPLETIONS.length)];
    lastStep = completion + " " + attempt.record();
    int endpoint = attempt.record().endpoint();
    int limit = lane(endpoint).limit();
    boolean slow = nowNanos - attempt.sentNanos() > Duration.ofSeconds(1).toNanos();
    lanes.completed(attempt, completion, nowNanos);
    Lanes.State after = laneStates().get(endpoint);
    int newLimit = after == null ? limit : after.limit();
    switch (completion) {
      case DELIVERED ->
          assertThat(newLimit).isBetween(Math.max(1, limit - 1), slow ? limit : limit + 1);
      case REFUSED, ABORTED -> assertThat(newLimit).isEqualTo(limit);
      case UNANSWERED -> assertThat(newLimit).isBetween(1, limit);
    }
    if (completion == Completion.ABORTED) {
      account.aborted(endpoint);
    } else if (completion != Completion.UNANSWERED || !slow) {
      account.progressed(endpoint, nowNanos);
      assertThat(after == null || !after.stuck()).as("progress ends it").isTrue();
    }
  }

  private void park() {
    lastStep = "park";
    boolean mayTakeHalves = account.isFull() && account.hasOverdue(nowNanos);
    Set<Integer> parkedOf = new HashSet<>();
    for (Parkable<Job> parkable : lanes.takeParkable(nowNanos)) {
      Job job = parkable.record();
      assertThat(parkable.endpointId()).isEqualTo(job.endpointId());
      assertThat(parkable.delay()).isBetween(Duration.ofSeconds(1), Duration.ofSeconds(8));
      account.left(job);
      parkedOf.add(job.endpoint());
    }
    if (!mayTakeHalves) {
      parkedOf.forEach(this::assertParkedAsStuck);
    }
    laneStates()
        .forEach((_, lane) ->
            assertThat(lane.stuck() && lane.waiting() > lane.limit())
                .as("a stuck lane keeps one round only")
                .isFalse());
    assertThat(account.isFull() && account.hasOverdue(nowNanos))
        .as("nothing overdue stays while the caller has to pause")
        .isFalse();
  }

  private void assertParkedAsStuck(int endpoint) {
    Lanes.State lane = lane(endpoint);
    assertThat(lane.stuck()).isTrue();
    assertThat(lane.waiting()).as("what it is tried with stays").isEqualTo(lane.limit());
    assertThat(account.hasProgressedSince(endpoint, nowNanos - Duration.ofSeconds(2).toNanos()))
        .as("no lane is stuck that has just got on")
        .isFalse();
  }

  private void drop() {
    int partition = random.nextInt(3);
    lastStep = "drop " + partition;
    List<Job> dropped = lanes.drop(job -> job.partition() == partition, nowNanos);
    dropped.forEach(account::left);
    assertThat(account.waiting()).noneMatch(job -> job.partition() == partition);
    assertThat(dropped).allMatch(job -> job.partition() == partition);
    assertThat(lanes.inFlight()).isEqualTo(account.inFlight().size());
  }

  private void drain() {
    int endpoint = random.nextInt(endpoints);
    lastStep = "drain " + endpoint;
    List<Job> drained = lanes.drain(VirtualLanes.endpoint(endpoint), _ -> true, nowNanos);
    drained.forEach(account::left);
    assertThat(drained).allMatch(job -> job.endpoint() == endpoint);
    assertThat(account.waiting()).noneMatch(job -> job.endpoint() == endpoint);
  }

  void check() {
    assertThat(lanes.waiting()).isEqualTo(account.waiting().size());
    assertThat(lanes.waiting()).isLessThanOrEqualTo(settings.bounds().queuedMax());
    assertThat(lanes.inFlight()).isEqualTo(account.inFlight().size());
    assertThat(lanes.inFlight()).isLessThanOrEqualTo(settings.bounds().inFlightMax());
    assertThat(account.probes()).isLessThanOrEqualTo(settings.bounds().probesInFlightMax());
    assertThat(lanes.isFull()).isEqualTo(account.isFull());
    Map<Integer, Lanes.State> states = laneStates();
    account.forgetAllBut(states.keySet());
    int idle = 0;
    for (int endpoint = 0; endpoint < endpoints; endpoint++) {
      Lanes.State lane = states.getOrDefault(endpoint, new Lanes.State(0, 0, 1, false));
      int number = endpoint;
      assertThat(lane.limit()).isBetween(1, settings.concurrency().max());
      assertThat(lane.waiting())
          .isEqualTo((int) account.waiting().stream().filter(j -> j.endpoint() == number).count());
      assertThat(lane.inFlight())
          .isEqualTo(
              (int)
                  account.inFlight().stream().filter(a -> a.record().endpoint() == number).count());
      idle += states.containsKey(endpoint) && lane.waiting() + lane.inFlight() == 0 ? 1 : 0;
    }
    assertThat(idle).isLessThanOrEqualTo(settings.bounds().idleLanesMax());
  }

  /** Whatever happened before: once everything is answered, everything that waits gets sent. */
  void finish() {
    lastStep = "finish";
    while (!account.isIdle()) {
      InFlight<Job> next = lanes.next(nowNanos);
      while (next != null) {
        account.left(next.record());
        lanes.sent(next, nowNanos);
        account.started(next, false);
        next = lanes.next(nowNanos);
      }
      assertThat(account.inFlight()).as("with nothing in flight something may start").isNotEmpty();
      account.endAll().forEach(attempt -> lanes.completed(attempt, Completion.DELIVERED, nowNanos));
    }
    assertThat(lanes.waiting() + lanes.inFlight() + lanes.stuckLanes()).isZero();
  }

  private Lanes.State lane(int endpoint) {
    return lanes.lane(VirtualLanes.endpoint(endpoint)).orElseThrow();
  }

  private Map<Integer, Lanes.State> laneStates() {
    Map<Integer, Lanes.State> states = new HashMap<>();
    for (int endpoint = 0; endpoint < endpoints; endpoint++) {
      Lanes.@Nullable State state = lanes.lane(VirtualLanes.endpoint(endpoint)).orElse(null);
      if (state != null) {
        states.put(endpoint, state);
      }
    }
    return states;
  }
}
