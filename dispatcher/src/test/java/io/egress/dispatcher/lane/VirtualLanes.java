package io.egress.dispatcher.lane;

import static java.util.Objects.requireNonNull;
import static org.assertj.core.api.Assertions.assertThat;

import io.egress.dispatcher.lane.Lanes.Completion;
import io.egress.dispatcher.lane.Lanes.Parkable;
import io.egress.dispatcher.lane.Lanes.Priority;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.UUID;

/** Lanes under a manual clock, maintained as their owner would. */
final class VirtualLanes {
  private static final Duration TICK = Duration.ofMillis(100);

  private final Lanes<String> lanes;
  private final List<Parkable<String>> parked = new ArrayList<>();

  /** Close to the end of the range: a monotonic clock may wrap around. */
  private long nowNanos = Long.MAX_VALUE - Duration.ofSeconds(1).toNanos();

  VirtualLanes(LaneSettings settings) {
    lanes = new Lanes<>(settings);
    tick();
  }

  static UUID endpoint(int number) {
    return new UUID(1, number);
  }

  static LaneSettings settings(LaneSettings.Bounds bounds) {
    LaneSettings defaults = LaneSettings.defaults();
    return new LaneSettings(defaults.concurrency(), defaults.parking(), bounds);
  }

  Lanes<String> lanes() {
    return lanes;
  }

  long nowNanos() {
    return nowNanos;
  }

  void offer(int endpoint, String... records) {
    for (String record : records) {
      assertThat(lanes.offer(endpoint(endpoint), Priority.LIVE, record, nowNanos)).isTrue();
    }
  }

  void offerBackfill(int endpoint, String... records) {
    for (String record : records) {
      assertThat(lanes.offer(endpoint(endpoint), Priority.BACKFILL, record, nowNanos)).isTrue();
    }
  }

  void offerMany(int endpoint, int count) {
    for (int i = 0; i < count; i++) {
      offer(endpoint, endpoint + "-" + i);
    }
  }

  InFlight<String> startOne() {
    InFlight<String> started = requireNonNull(lanes.next(nowNanos), "nothing to start");
    lanes.sent(started, nowNanos);
    return started;
  }

  List<InFlight<String>> startAll() {
    List<InFlight<String>> started = new ArrayList<>();
    InFlight<String> next = lanes.next(nowNanos);
    while (next != null) {
      lanes.sent(next, nowNanos);
      started.add(next);
      next = lanes.next(nowNanos);
    }
    return started;
  }

  void complete(Completion completion, InFlight<String> attempt) {
    lanes.completed(attempt, completion, nowNanos);
  }

  void complete(Completion completion, List<InFlight<String>> attempts) {
    attempts.forEach(attempt -> complete(completion, attempt));
  }

  /** Moves on tick by tick and gathers what is to be parked meanwhile. */
  void pass(Duration time) {
    for (long ticks = time.dividedBy(TICK); ticks > 0; ticks--) {
      jump(TICK);
      tick();
    }
  }

  void jump(Duration time) {
    nowNanos += time.toNanos();
  }

  void tick() {
    parked.addAll(lanes.takeParkable(nowNanos));
  }

  List<Parkable<String>> takeParked() {
    List<Parkable<String>> taken = List.copyOf(parked);
    parked.clear();
    return taken;
  }

  List<String> takeParkedRecords() {
    return takeParked().stream().map(Parkable::record).toList();
  }

  Lanes.State lane(int endpoint) {
    return lanes.lane(endpoint(endpoint)).orElseThrow();
  }

  /** Delivers whatever waits for the endpoint, each attempt taking {@code time}. */
  void deliverAll(int endpoint, Duration time) {
    while (lane(endpoint).waiting() > 0) {
      List<InFlight<String>> started = startAll();
      jump(time);
      complete(Completion.DELIVERED, started);
    }
  }
}
