package io.egress.dispatcher.lane;

import static java.util.Objects.requireNonNull;
import static java.util.concurrent.TimeUnit.MILLISECONDS;
import static java.util.concurrent.TimeUnit.SECONDS;

import io.egress.dispatcher.lane.Lanes.Completion;
import io.egress.dispatcher.lane.Lanes.Parkable;
import io.egress.dispatcher.lane.Lanes.Priority;
import java.time.Duration;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.PriorityQueue;
import java.util.Queue;
import java.util.Random;
import java.util.Set;
import java.util.UUID;

/**
 * A delivery worker in virtual time: records arrive by Poisson processes, wait in a paused
 * partition while the lanes are full, are sent to endpoints that take their time or hang, and come
 * back from the parked topic. Every endpoint has a random source of its own, so what one sees does
 * not depend on the others.
 */
final class LaneSimulation {
  private static final long TICK_NANOS = MILLISECONDS.toNanos(100);
  private static final long TIMEOUT_NANOS = SECONDS.toNanos(10);

  /** Attempts started from {@code hangsFrom} until {@code hangsUntil} get no answer. */
  record Endpoint(
      int number,
      double perSecond,
      Duration answersAfterMin,
      Duration answersAfterMax,
      Duration hangsFrom,
      Duration hangsUntil) {
    static Endpoint healthy(int number, double perSecond) {
      return new Endpoint(
          number,
          perSecond,
          Duration.ofMillis(5),
          Duration.ofMillis(50),
          Duration.ZERO,
          Duration.ZERO);
    }

    Endpoint answeringAfter(Duration time) {
      return new Endpoint(number, perSecond, time, time, hangsFrom, hangsUntil);
    }

    Endpoint hanging(Duration from, Duration until) {
      return new Endpoint(number, perSecond, answersAfterMin, answersAfterMax, from, until);
    }

    UUID id() {
      return VirtualLanes.endpoint(number);
    }

    boolean hangsAt(long nanos) {
      return nanos >= hangsFrom.toNanos() && nanos < hangsUntil.toNanos();
    }
  }

  /** What became of an endpoint's records; waits are from arrival to the start of the attempt. */
  static final class Tally {
    final List<Long> waitsNanos = new ArrayList<>();
    int arrived;
    int delivered;
    int unanswered;
    int parked;

    Duration wait(double quantile) {
      return quantile(waitsNanos, quantile);
    }
  }

  private record Job(Endpoint endpoint, long number, long arrivedNanos) {}

  private record Event(long nanos, long order, Runnable action) {}

  private final LaneSettings settings;
  private final Lanes<Job> lanes;
  private final long arrivalsUntilNanos;
  private final Queue<Event> events =
      new PriorityQueue<>(Comparator.comparingLong(Event::nanos).thenComparingLong(Event::order));
  private final Queue<Job> pausedSource = new ArrayDeque<>();
  private final Map<Integer, Random> randoms = new HashMap<>();
  private final Map<Integer, Tally> tallies = new HashMap<>();
  private final Set<Long> open = new HashSet<>();
  private long nowNanos;
  private long eventCount;
  private long jobCount;
  private int ticksFull;

  LaneSimulation(LaneSettings settings, List<Endpoint> endpoints, Duration arrivals, long seed) {
    this.settings = settings;
    this.lanes = new Lanes<>(settings);
    this.arrivalsUntilNanos = arrivals.toNanos();
    for (Endpoint endpoint : endpoints) {
      randoms.put(endpoint.number(), new Random(seed * 1_000_003 + endpoint.number()));
      tallies.put(endpoint.number(), new Tally());
      scheduleArrival(endpoint);
    }
    at(0, this::tick);
  }

  Lanes<?> lanes() {
    return lanes;
  }

  /** Before the simulation runs: records that are there from the start. */
  void backlog(Endpoint endpoint, int count) {
    for (int i = 0; i < count; i++) {
      at(0, () -> arrive(endpoint));
    }
  }

  void run(Duration until) {
    while (!events.isEmpty() && events.element().nanos() <= until.toNanos()) {
      Event event = events.remove();
      nowNanos = event.nanos();
      event.action().run();
      startWhatMayStart();
    }
    nowNanos = until.toNanos();
  }

  Tally tally(Endpoint endpoint) {
    return requireNonNull(tallies.get(endpoint.number()));
  }

  int openRecords() {
    return open.size();
  }

  Duration timeFull() {
    return Duration.ofNanos(ticksFull * TICK_NANOS);
  }

  Duration wait(List<Endpoint> endpoints, double quantile) {
    return quantile(
        endpoints.stream().flatMap(endpoint -> tally(endpoint).waitsNanos.stream()).toList(),
        quantile);
  }

  private static Duration quantile(List<Long> nanos, double quantile) {
    List<Long> sorted = nanos.stream().sorted().toList();
    return Duration.ofNanos(sorted.get((int) Math.ceil(quantile * (sorted.size() - 1))));
  }

  /** Called a million times, for which AssertJ is too slow. */
  private static void check(boolean holds, String what, Object subject) {
    if (!holds) {
      throw new AssertionError("it does not hold that " + what + ": " + subject);
    }
  }

  private Random random(Endpoint endpoint) {
    return requireNonNull(randoms.get(endpoint.number()));
  }

  private void at(long nanos, Runnable action) {
    events.add(new Event(nanos, eventCount++, action));
  }

  private void scheduleArrival(Endpoint endpoint) {
    double seconds = -Math.log(1 - random(endpoint).nextDouble()) / endpoint.perSecond();
    long next = nowNanos + (long) (seconds * SECONDS.toNanos(1));
    if (next < arrivalsUntilNanos) {
      at(
          next,
          () -> {
            arrive(endpoint);
            scheduleArrival(endpoint);
          });
    }
  }

  private void arrive(Endpoint endpoint) {
    Job job = new Job(endpoint, jobCount++, nowNanos);
    open.add(job.number());
    tally(endpoint).arrived++;
    take(job);
  }

  private void take(Job job) {
    pausedSource.add(job);
    while (!pausedSource.isEmpty() && !lanes.isFull()) {
      Job next = pausedSource.remove();
      check(
          lanes.offer(next.endpoint().id(), Priority.LIVE, next, nowNanos), "there is room", next);
    }
    check(lanes.waiting() <= settings.bounds().queuedMax(), "no more wait than may", job);
  }

  private void startWhatMayStart() {
    InFlight<Job> attempt = lanes.next(nowNanos);
    while (attempt != null) {
      lanes.sent(attempt, nowNanos);
      start(attempt);
      attempt = lanes.next(nowNanos);
    }
    check(
        lanes.inFlight() <= settings.bounds().inFlightMax(),
        "no more are in flight than may",
        nowNanos);
  }

  private void start(InFlight<Job> attempt) {
    Job job = attempt.record();
    Endpoint endpoint = job.endpoint();
    check(open.remove(job.number()), "each is handed out once", job);
    tally(endpoint).waitsNanos.add(nowNanos - job.arrivedNanos());
    boolean hangs = endpoint.hangsAt(nowNanos);
    long min = endpoint.answersAfterMin().toNanos();
    long spread = endpoint.answersAfterMax().toNanos() - min;
    long answer = min + (long) (random(endpoint).nextDouble() * spread);
    at(nowNanos + (hangs ? TIMEOUT_NANOS : answer), () -> complete(attempt, hangs));
  }

  private void complete(InFlight<Job> attempt, boolean hung) {
    Tally tally = tally(attempt.record().endpoint());
    if (hung) {
      tally.unanswered++;
    } else {
      tally.delivered++;
    }
    lanes.completed(attempt, hung ? Completion.UNANSWERED : Completion.DELIVERED, nowNanos);
  }

  private void tick() {
    for (Parkable<Job> parkable : lanes.takeParkable(nowNanos)) {
      tally(parkable.record().endpoint()).parked++;
      at(nowNanos + parkable.delay().toNanos(), () -> take(parkable.record()));
    }
    ticksFull += lanes.isFull() ? 1 : 0;
    at(nowNanos + TICK_NANOS, this::tick);
  }
}
