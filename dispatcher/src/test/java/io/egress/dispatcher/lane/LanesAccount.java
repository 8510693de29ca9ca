package io.egress.dispatcher.lane;

import static org.assertj.core.api.Assertions.assertThat;

import io.egress.dispatcher.lane.Lanes.Priority;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.Set;
import java.util.UUID;

/** A plain model of what waits and what is in flight. */
final class LanesAccount {
  record Job(int endpoint, int partition, Priority priority, int number) {
    UUID endpointId() {
      return VirtualLanes.endpoint(endpoint);
    }
  }

  private final LaneSettings settings;
  private final Map<Job, Long> waitingSince = new HashMap<>();
  private final List<InFlight<Job>> inFlight = new ArrayList<>();
  private final Set<InFlight<Job>> probes = new HashSet<>();
  private final Map<Integer, Long> lastProgress = new HashMap<>();
  private final Map<Integer, Integer> startedSinceProgress = new HashMap<>();
  private boolean full;

  LanesAccount(LaneSettings settings) {
    this.settings = settings;
  }

  boolean takesMore() {
    return waitingSince.size() < settings.bounds().queuedMax();
  }

  void took(Job job, long nowNanos) {
    waitingSince.put(job, nowNanos);
    full = full || waitingSince.size() >= settings.bounds().pauseAtQueued();
  }

  void left(Job job) {
    assertThat(waitingSince.remove(job)).as("%s was waiting", job).isNotNull();
    full = full && waitingSince.size() > settings.bounds().resumeAtQueued();
  }

  void started(InFlight<Job> attempt, boolean asProbe) {
    inFlight.add(attempt);
    startedSinceProgress.merge(attempt.record().endpoint(), 1, Integer::sum);
    if (asProbe) {
      probes.add(attempt);
    }
  }

  InFlight<Job> endAny(Random random) {
    InFlight<Job> attempt = inFlight.remove(random.nextInt(inFlight.size()));
    probes.remove(attempt);
    return attempt;
  }

  List<InFlight<Job>> endAll() {
    List<InFlight<Job>> all = List.copyOf(inFlight);
    inFlight.clear();
    probes.clear();
    return all;
  }

  void progressed(int endpoint, long nowNanos) {
    lastProgress.put(endpoint, nowNanos);
    startedSinceProgress.put(endpoint, 0);
  }

  void aborted(int endpoint) {
    startedSinceProgress.put(endpoint, Math.max(0, unproven(endpoint) - 1));
  }

  void forgetAllBut(Set<Integer> endpoints) {
    startedSinceProgress.keySet().retainAll(endpoints);
  }

  boolean isFull() {
    return full;
  }

  boolean isIdle() {
    return inFlight.isEmpty() && waitingSince.isEmpty();
  }

  Set<Job> waiting() {
    return waitingSince.keySet();
  }

  List<InFlight<Job>> inFlight() {
    return inFlight;
  }

  int probes() {
    return probes.size();
  }

  boolean hasOverdue(long nowNanos) {
    long overdueNanos = settings.parking().overdueAfter().toNanos();
    return waitingSince.values().stream().anyMatch(since -> nowNanos - since >= overdueNanos);
  }

  boolean hasProgressedSince(int endpoint, long nanos) {
    Long progress = lastProgress.get(endpoint);
    return progress != null && progress - nanos > 0;
  }

  int slotsFree() {
    return settings.bounds().inFlightMax() - inFlight.size();
  }

  /** An endpoint may use the slots that nobody needs, but without progress no more than half. */
  boolean mayStartUnproven(int endpoint) {
    return slotsFree() * 2 > settings.bounds().inFlightMax()
        || unproven(endpoint) < settings.concurrency().initial();
  }

  private int unproven(int endpoint) {
    return startedSinceProgress.getOrDefault(endpoint, 0);
  }
}
